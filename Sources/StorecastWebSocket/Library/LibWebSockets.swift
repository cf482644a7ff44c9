import CLibWebSockets
import Glibc
import Synchronization

/// The libwebsockets context of one event loop.
///
/// Contexts are made under one lock, since that loads a plugin and touches library-wide state, and
/// never destroyed: version 4.1.6 then closes the descriptor of its event pipe twice, at different
/// moments, and the second time it may already be another thread's file. `LoopParts` uses them
/// again. The library's own listening, pings, signals, logging and extensions stay off.
final class LibWebSockets {
    /// The most subprotocol characters that libwebsockets can compare.
    static let maximumSubprotocolLength = 63

    /// For connections that a server accepted.
    private let serverHost: OpaquePointer
    private let context: OpaquePointer
    private let storage: ContextStorage
    private var clientHosts: [String: OpaquePointer] = [:]

    private static let global = Mutex(false)

    init(on loop: UnsafeMutablePointer<uv_loop_t>) throws(WebSocketError) {
        let storage = ContextStorage(loop: loop)
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
    func clientHost(tls: Bool, certificateAuthorityFile: String?) -> OpaquePointer? {
        let key = tls ? "tls " + (certificateAuthorityFile ?? "") : ""
        if let host = clientHosts[key] { return host }
        var info = lws_context_creation_info()
        info.port = sc_lws_port_client()
        info.options = tls ? sc_lws_option_tls() : 0
        var host: OpaquePointer?
        Self.global.withLock { _ in
            withOptionalCString(certificateAuthorityFile) { file in
                info.client_ssl_ca_filepath = file
                host = storage.makeHost(context, &info, storage.clientProtocols)
            }
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

    /// Gives the library an accepted connection and its request, which is whole: it answers, or
    /// makes a WebSocket of it, before this returns.
    ///
    /// - Parameters:
    ///   - descriptor: the library's from now on.
    ///   - owner: a reference that is released when the library destroys its object.
    func adopt(_ descriptor: Int32, request: [UInt8], for owner: WebSocketConnection) {
        let reference = owner.retainForLibrary()
        storage.newcomer.pointee = reference
        let wsi = request.withUnsafeBytes {
            lws_adopt_socket_vhost_readbuf(
                serverHost, descriptor, $0.baseAddress?.assumingMemoryBound(to: CChar.self),
                $0.count)
        }
        if storage.newcomer.pointee.take() != nil {
            // Out of memory, and no object was made.
            Unmanaged<WebSocketConnection>.fromOpaque(reference).release()
            owner.vanish()
        }
        if wsi == nil { owner.detach() }
    }

    /// Says in which context to connect.
    func address(_ info: inout lws_client_connect_info) { info.context = context }

    /// Lets the library look at its timers.
    func service() { lws_cancel_service(context) }

    private static func make(_ storage: ContextStorage) -> (OpaquePointer, OpaquePointer)? {
        var info = lws_context_creation_info()
        info.port = sc_lws_port_no_listen()
        info.options =
            sc_lws_option_libuv() | sc_lws_option_explicit_vhosts() | sc_lws_option_tls()
        info.foreign_loops = storage.loops
        info.user = UnsafeMutableRawPointer(storage.newcomer)
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

    /// Once a process: quiet, and with descriptors enough.
    private static func prepareProcess() {
        LibWebSocketsLog.install()
        raiseDescriptorLimit()
    }

    /// Raises the soft limit of open files to the hard one. A context allocates 24 bytes for each
    /// descriptor that the limit allows, so an enormous limit is taken in part.
    private static func raiseDescriptorLimit() {
        var limit = rlimit()
        guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { return }
        let wanted = min(limit.rlim_max, 1 << 18)
        guard limit.rlim_cur < wanted else { return }
        limit.rlim_cur = wanted
        setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
    }
}

/// The string for C, or a null pointer.
private func withOptionalCString<Result>(
    _ string: String?, _ body: (UnsafePointer<CChar>?) -> Result
) -> Result {
    guard let string else { return body(nil) }
    return string.withCString { body($0) }
}
