import CLibWebSockets
import Glibc
import Synchronization

/// The libwebsockets context of one event loop.
///
/// Contexts are made under one lock, since that loads a plugin and changes library-wide state. They
/// are never destroyed; later loops use them again. To destroy one, version 4.1.6 closes the
/// descriptor of its event pipe twice, at different moments, and the second time the descriptor may
/// be another thread's file. The library's own listening, pings, signals, logging and extensions
/// are off.
final class LibWebSockets {
    /// The most subprotocol characters that libwebsockets can compare.
    static let maximumSubprotocolLength = 63

    /// For connections that a server accepted.
    private let serverHost: OpaquePointer
    private let context: OpaquePointer
    private let storage: ContextStorage
    private var clientHosts: [String: OpaquePointer] = [:]
    /// Whom clients trust, as long as the hosts live that refer to it.
    private var trust: [TLSContext] = []

    private static let global = Mutex(false)

    /// The type of the function that libwebsockets calls for every event.
    typealias Callback =
        @convention(c) (
            OpaquePointer?, lws_callback_reasons, UnsafeMutableRawPointer?,
            UnsafeMutableRawPointer?, Int
        ) -> Int32

    init(
        on loop: UnsafeMutablePointer<uv_loop_t>, calling callback: @escaping Callback
    ) throws(WebSocketError) {
        let storage = ContextStorage(loop: loop, callback: callback)
        var made: (OpaquePointer, OpaquePointer)?
        Self.global.withLock { isPrepared in
            if !isPrepared { Self.prepareProcess() }
            isPrepared = true
            made = Self.make(storage)
        }
        guard let (context, host) = made else {
            throw WebSocketError(
                description: """
                    libwebsockets could not start; is its libuv plugin installed \
                    (Debian: libwebsockets-evlib-uv)?
                    """)
        }
        self.context = context
        self.serverHost = host
        self.storage = storage
    }

    /// The virtual host for a client's connections; one for plain ones, one a trust store.
    ///
    /// - Throws: a sentence about the certificates that can't be read.
    func clientHost(
        tls: Bool, certificateAuthorityFile: String?
    ) throws(WebSocketError) -> OpaquePointer {
        let key = tls ? "tls " + (certificateAuthorityFile ?? "") : ""
        if let host = clientHosts[key] { return host }
        var info = lws_context_creation_info()
        info.port = sc_lws_port_client()
        if tls {
            info.options = sc_lws_option_tls()
            // Not the library's own, which trusts nobody where no file is given.
            let context = try TLSContext(trusting: certificateAuthorityFile)
            trust.append(context)
            info.provided_client_ssl_ctx = context.pointer
        }
        var host: OpaquePointer?
        Self.global.withLock { _ in
            host = storage.makeHost(context, &info, storage.clientProtocols)
        }
        guard let host else {
            throw WebSocketError(description: "libwebsockets has no memory for a client.")
        }
        clientHosts[key] = host
        return host
    }

    /// The one subprotocol that the next handshake finds on offer.
    ///
    /// libwebsockets takes the first name of the client's list that one of its protocols has; the
    /// single protocol of the server's host gets the name that was chosen, just before the
    /// library looks.
    func offer(subprotocol: String) { storage.setServerProtocolName(subprotocol) }

    /// What has become of a connection that the library was given.
    enum Adoption {
        /// The library has an object for it.
        case alive
        /// The library answered the request, and has destroyed its object or is about to.
        case over
        /// No object was made: out of memory.
        case failed
    }

    /// Gives the library an accepted connection and its request, which is whole: it answers, or
    /// makes a WebSocket of it, before this returns.
    ///
    /// - Parameters:
    ///   - descriptor: the library's from now on.
    ///   - owner: what ``takePendingOwner(of:)`` returns in the callback that tells of the new
    ///     object.
    func adopt(
        _ descriptor: Int32, request: [UInt8], for owner: UnsafeMutableRawPointer
    ) -> Adoption {
        storage.pendingOwner.pointee = owner
        let wsi = request.withUnsafeBytes {
            lws_adopt_socket_vhost_readbuf(
                serverHost, descriptor, $0.baseAddress?.assumingMemoryBound(to: CChar.self),
                $0.count)
        }
        if storage.pendingOwner.pointee.take() != nil { return .failed }
        return wsi == nil ? .over : .alive
    }

    /// Has the library read a plain request, which is whole: it calls back before this returns, with
    /// an object for which ``asker(of:)`` is the one given here; or not, if it can't read it.
    ///
    /// - Parameter descriptor: the library's from now on: one that ends with the request.
    func read(_ request: [UInt8], on descriptor: Int32, for asker: UnsafeMutableRawPointer) {
        storage.asker.pointee = asker
        request.withUnsafeBytes {
            _ = lws_adopt_socket_vhost_readbuf(
                serverHost, descriptor, $0.baseAddress?.assumingMemoryBound(to: CChar.self),
                $0.count)
        }
        storage.asker.pointee = nil
    }

    /// Who has a plain request read at this moment.
    static func asker(of wsi: OpaquePointer) -> UnsafeMutableRawPointer? {
        pointers(of: wsi)[ContextStorage.askerPlace]
    }

    /// The owner given to ``adopt(_:request:for:)``, for the object that the library has just made;
    /// nil if the object is a client's.
    static func takePendingOwner(of wsi: OpaquePointer) -> UnsafeMutableRawPointer? {
        pointers(of: wsi).pointee.take()
    }

    private static func pointers(
        of wsi: OpaquePointer
    ) -> UnsafeMutablePointer<UnsafeMutableRawPointer?> {
        lws_context_user(lws_get_context(wsi))
            .assumingMemoryBound(to: UnsafeMutableRawPointer?.self)
    }

    /// Sets the context in which to connect.
    func address(_ info: inout lws_client_connect_info) {
        info.context = context
        storage.leaveTime(&info)
    }

    /// Makes the library serve its timers.
    func service() { lws_cancel_service(context) }

    private static func make(_ storage: ContextStorage) -> (OpaquePointer, OpaquePointer)? {
        var info = lws_context_creation_info()
        info.port = sc_lws_port_no_listen()
        info.options =
            sc_lws_option_libuv() | sc_lws_option_explicit_vhosts() | sc_lws_option_tls()
        info.foreign_loops = storage.loops
        info.user = UnsafeMutableRawPointer(storage.pendingOwner)
        info.pt_serv_buf_size = 32 << 10
        info.timeout_secs = 30
        guard let context = lws_create_context(&info) else { return nil }
        var hostInfo = lws_context_creation_info()
        hostInfo.port = sc_lws_port_no_listen()
        guard let host = storage.makeHost(context, &hostInfo, storage.serverProtocols) else {
            // Not destroyed, for the reason above; out of memory here is the end anyway.
            return nil
        }
        return (context, host)
    }

    /// Once a process: turns the log off and raises the limit of descriptors.
    private static func prepareProcess() {
        LibWebSocketsLog.install()
        raiseDescriptorLimit()
    }

    /// Raises the soft limit of open files to the hard one. A context allocates 24 bytes for each
    /// descriptor that the limit allows, so an enormous limit is taken in part.
    private static func raiseDescriptorLimit() {
        var limit = rlimit()
        guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { return }
        let wanted = min(limit.rlim_max, rlim_t(WebSocketLibraries.mostDescriptors))
        guard limit.rlim_cur < wanted else { return }
        limit.rlim_cur = wanted
        setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
    }
}

/// Why a server or client could not start.
package struct WebSocketError: Error, Sendable, CustomStringConvertible {
    /// What failed, the system's reason, and what to do if that is known; a sentence or two.
    package let description: String
}

/// The log of libwebsockets, for the whole process. Off until a listener is set.
package enum LibWebSocketsLog {
    private static let handler = Mutex<(@Sendable (String) -> Void)?>(nil)

    /// Passes the library's errors and warnings to `listener`, on the thread where they happen;
    /// nil turns the log off.
    package static func listen(_ listener: (@Sendable (String) -> Void)?) {
        handler.withLock { $0 = listener }
        install()
    }

    /// Takes the log away from standard error, where the library writes by itself.
    static func install() {
        let isHeard = handler.withLock { $0 != nil }
        lws_set_log_level(isHeard ? LLL_ERR | LLL_WARN : 0) { _, line in
            guard let line, let handler = LibWebSocketsLog.handler.withLock({ $0 }) else { return }
            var text = String(cString: line)
            // Logged as an error for every connection that is adopted with its request.
            if text.contains("adopt_socket_readbuf: calling service") { return }
            while text.last?.isNewline == true { text.removeLast() }
            handler(text)
        }
    }
}

/// The C memory that a libwebsockets context refers to. Never freed, as the context isn't.
final class ContextStorage {
    let loops: UnsafeMutablePointer<UnsafeMutableRawPointer?>
    let serverProtocols: UnsafeMutablePointer<lws_protocols>
    let clientProtocols: UnsafeMutablePointer<lws_protocols>
    /// The owner of the object that the library is about to make for an accepted connection:
    /// the library's function that takes a socket and its request has no argument for it.
    let pendingOwner: UnsafeMutablePointer<UnsafeMutableRawPointer?>
    /// Behind it: whose plain request the library is reading.
    var asker: UnsafeMutablePointer<UnsafeMutableRawPointer?> { pendingOwner + Self.askerPlace }
    private let retry: UnsafeMutablePointer<lws_retry_bo_t>
    private let names: UnsafeMutablePointer<CChar>

    static let clientProtocolName = "storecast-client"
    static let askerPlace = 1
    private static let nameCapacity = LibWebSockets.maximumSubprotocolLength + 1

    init(
        loop: UnsafeMutablePointer<uv_loop_t>, callback: @escaping LibWebSockets.Callback
    ) {
        loops = .allocate(capacity: 1)
        loops.initialize(to: UnsafeMutableRawPointer(loop))
        pendingOwner = .allocate(capacity: 2)
        pendingOwner.initialize(repeating: nil, count: 2)
        // The library's pings take a sorted timer for each connection; ours are a timer wheel.
        retry = .allocate(capacity: 1)
        retry.initialize(to: lws_retry_bo_t())
        retry.pointee.secs_since_valid_ping = 0
        retry.pointee.secs_since_valid_hangup = 0
        names = .allocate(capacity: 2 * Self.nameCapacity)
        names.initialize(repeating: 0, count: 2 * Self.nameCapacity)
        // Servers read their sockets themselves: the library's buffer per connection is unused.
        serverProtocols = Self.makeProtocols(
            name: names, receiveBytes: 16, callback: callback)
        let clientName = names + Self.nameCapacity
        clientProtocols = Self.makeProtocols(
            name: clientName, receiveBytes: 16 << 10, callback: callback)
        Self.copy("-", to: names)
        Self.copy(Self.clientProtocolName, to: clientName)
    }

    /// A client's connection doesn't have it from its virtual host. The library's own asks servers
    /// that no ping was answered by for five minutes, ends connections whose answer takes ten
    /// seconds, and has a sorted timer for each.
    func leaveTime(_ info: inout lws_client_connect_info) {
        info.retry_and_idle_policy = UnsafePointer(retry)
    }

    func setServerProtocolName(_ name: String) { Self.copy(name, to: names) }

    /// Adds a virtual host that never listens and never asks a proxy from the environment.
    func makeHost(
        _ context: OpaquePointer, _ info: inout lws_context_creation_info,
        _ protocols: UnsafeMutablePointer<lws_protocols>
    ) -> OpaquePointer? {
        info.protocols = UnsafePointer(protocols)
        info.retry_and_idle_policy = UnsafePointer(retry)
        info.timeout_secs = 30
        return "".withCString { empty in
            "http/1.1".withCString { alpn in
                info.http_proxy_address = empty
                info.alpn = alpn
                return lws_create_vhost(context, &info)
            }
        }
    }

    /// One protocol and the empty one that ends the list.
    private static func makeProtocols(
        name: UnsafeMutablePointer<CChar>, receiveBytes: Int,
        callback: @escaping LibWebSockets.Callback
    ) -> UnsafeMutablePointer<lws_protocols> {
        let protocols = UnsafeMutablePointer<lws_protocols>.allocate(capacity: 2)
        protocols.initialize(repeating: lws_protocols(), count: 2)
        protocols[0].name = UnsafePointer(name)
        protocols[0].callback = callback
        protocols[0].rx_buffer_size = receiveBytes
        // Without it a write is cut into pieces of the receive buffer's size.
        protocols[0].tx_packet_size = 1 << 20
        return protocols
    }

    private static func copy(_ name: String, to target: UnsafeMutablePointer<CChar>) {
        var index = 0
        for byte in name.utf8.prefix(nameCapacity - 1) {
            target[index] = CChar(bitPattern: byte)
            index += 1
        }
        target[index] = 0
    }
}
