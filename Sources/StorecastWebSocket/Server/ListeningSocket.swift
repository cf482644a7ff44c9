import CLibWebSockets
import Glibc

/// A listening TCP socket on a loop.
///
/// Not libwebsockets' own: limits are checked when accepting, and several loops can share a port.
final class ListeningSocket {
    /// The port, also where any free one was asked for.
    let port: Int
    private let core: LoopCore
    private let descriptor: Int32
    private let accepted: (Int32) -> Void
    private let full: () -> Void
    private var poll: UnsafeMutablePointer<uv_poll_t>?
    private var pauseTimer: LoopTimer?

    /// - Parameters:
    ///   - accepted: is given each new descriptor, non-blocking, and owns it.
    ///   - full: called when somebody must wait because the process has no more descriptors.
    init(
        on core: LoopCore, _ configuration: WebSocketServerConfiguration,
        accepted: @escaping (Int32) -> Void, full: @escaping () -> Void
    ) throws(WebSocketError) {
        self.core = core
        self.accepted = accepted
        self.full = full
        if let inherited = configuration.descriptor {
            descriptor = try Self.copy(of: inherited)
        } else {
            if configuration.claimsPort { try Self.checkAddress(of: configuration) }
            descriptor = try Self.open(configuration)
        }
        port = Self.port(of: descriptor)
        let poll = UnsafeMutablePointer<uv_poll_t>.allocate(capacity: 1)
        // From now on it doesn't block, whoever has opened it.
        let code = uv_poll_init(core.uv, poll, descriptor)
        guard code == 0 else {
            poll.deallocate()
            Glibc.close(descriptor)
            throw WebSocketError(description: "Could not watch the listening socket.")
        }
        self.poll = poll
        poll.pointee.data = Unmanaged.passUnretained(self).toOpaque()
        watch()
    }

    /// Throws if the address can't be had, or another socket listens there, even one that would
    /// share the port.
    static func checkAddress(of configuration: WebSocketServerConfiguration) throws(WebSocketError)
    {
        if configuration.descriptor != nil { return }
        var alone = configuration
        alone.reusePort = false
        Glibc.close(try open(alone, listens: false))
    }

    /// Stops listening. Connections that the kernel hasn't handed over yet are refused.
    func close() {
        pauseTimer?.cancel()
        pauseTimer = nil
        guard let poll = poll.take() else { return }
        uv_poll_stop(poll)
        core.closeHandle(poll)
        Glibc.close(descriptor)
    }

    private func watch() {
        guard let poll else { return }
        uv_poll_start(poll, Int32(UV_READABLE.rawValue)) { handle, _, _ in
            guard let data = handle?.pointee.data else { return }
            Unmanaged<ListeningSocket>.fromOpaque(data).takeUnretainedValue().acceptAll()
        }
    }

    private func acceptAll() {
        // Few, so that open connections get their turn: each is about 0.1 ms until it is upgraded.
        for _ in 0..<2 {
            guard poll != nil else { return }
            let connection = sc_accept(descriptor)
            if connection >= 0 {
                accepted(connection)
            } else if [EMFILE, ENFILE, ENOBUFS, ENOMEM].contains(errno) {
                return pauseAccepting()
            } else if errno == EAGAIN || errno == EWOULDBLOCK {
                return
            }
        }
    }

    /// Out of descriptors: waits a moment. The socket stays readable, so the loop would spin.
    private func pauseAccepting() {
        guard let poll else { return }
        full()
        uv_poll_stop(poll)
        pauseTimer = LoopTimer(on: core, after: .milliseconds(100)) { [weak self] in self?.watch() }
    }

    private static func open(
        _ configuration: WebSocketServerConfiguration, listens: Bool = true
    ) throws(WebSocketError) -> Int32 {
        let address = "\(configuration.host):\(configuration.port)"
        var hints = addrinfo()
        hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        hints.ai_flags = AI_PASSIVE | AI_ADDRCONFIG
        var list: UnsafeMutablePointer<addrinfo>?
        let host = configuration.host.isEmpty ? nil : configuration.host
        let code = getaddrinfo(host, String(configuration.port), &hints, &list)
        guard code == 0, let first = list else {
            let reason = String(cString: gai_strerror(code))
            throw WebSocketError(
                description: "Can't listen on \(address): \(reason). \(ownAddress)")
        }
        defer { freeaddrinfo(list) }
        let type = first.pointee.ai_socktype | Int32(SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue)
        let descriptor = socket(first.pointee.ai_family, type, first.pointee.ai_protocol)
        guard descriptor >= 0 else { throw failure(address) }
        set(SO_REUSEADDR, of: descriptor)
        if configuration.reusePort { set(SO_REUSEPORT, of: descriptor) }
        guard bind(descriptor, first.pointee.ai_addr, first.pointee.ai_addrlen) == 0,
            !listens || listen(descriptor, configuration.backlog) == 0
        else {
            let error = failure(address)
            Glibc.close(descriptor)
            throw error
        }
        return descriptor
    }

    /// Another descriptor of a socket that listens already, for this object to close.
    private static func copy(of descriptor: Int32) throws(WebSocketError) -> Int32 {
        var isListening: Int32 = 0
        var size = socklen_t(MemoryLayout<Int32>.size)
        guard getsockopt(descriptor, SOL_SOCKET, SO_ACCEPTCONN, &isListening, &size) == 0,
            isListening != 0
        else {
            throw WebSocketError(description: "Descriptor \(descriptor) isn't a listening socket.")
        }
        let copy = fcntl(descriptor, F_DUPFD_CLOEXEC, 0)
        guard copy >= 0 else { throw failure("descriptor \(descriptor)") }
        return copy
    }

    private static func failure(_ address: String) -> WebSocketError {
        let code = errno
        return WebSocketError(
            description: "Can't listen on \(address): \(EventLoopError.text(of: code))."
                + (advice(after: code).map { " " + $0 } ?? ""))
    }

    private static func advice(after code: Int32) -> String? {
        switch code {
        case EADDRINUSE: "Choose another port (0 for any free one) or stop what uses it."
        case EACCES: "Ports below 1024 are for administrators: choose another one, such as 9090."
        case EADDRNOTAVAIL: ownAddress
        default: nil
        }
    }

    private static let ownAddress =
        "Choose an address of this machine: 127.0.0.1, or 0.0.0.0 for all that it has."

    private static func set(_ option: Int32, of descriptor: Int32) {
        var one: Int32 = 1
        setsockopt(descriptor, SOL_SOCKET, option, &one, socklen_t(MemoryLayout<Int32>.size))
    }

    private static func port(of descriptor: Int32) -> Int {
        var address = sockaddr_storage()
        var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
        return withUnsafeMutableBytes(of: &address) { bytes in
            guard let start = bytes.baseAddress else { return 0 }
            getsockname(descriptor, start.assumingMemoryBound(to: sockaddr.self), &length)
            // IPv4 and IPv6 both have the port behind the family, in network order.
            return Int(bytes[2]) << 8 | Int(bytes[3])
        }
    }
}
