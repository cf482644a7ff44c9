import CLibWebSockets
import Glibc

/// Opens a TCP connection to a host: to the first of its addresses that answers.
///
/// They are looked up in libuv's thread pool.
final class HostConnector {
    private let core: LoopCore
    private let host: String
    private let port: Int
    private var connector: SocketConnector?
    private var done: ((Result<Int32, WebSocketError>) -> Void)?

    /// - Parameters:
    ///   - host: a name or a numeric address, without brackets.
    ///   - done: is given the descriptor, which it then owns, or a sentence.
    init(
        on core: LoopCore, to host: String, port: Int,
        done: @escaping (Result<Int32, WebSocketError>) -> Void
    ) {
        self.core = core
        self.host = host
        self.port = port
        self.done = done
    }

    /// Begins; `done` may be called before this returns.
    func start() {
        let request = UnsafeMutablePointer<uv_getaddrinfo_t>.allocate(capacity: 1)
        // Released in the callback. libuv always calls it, if need be when the loop is used again.
        request.pointee.data = Unmanaged.passRetained(self).toOpaque()
        var hints = addrinfo()
        hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        hints.ai_flags = AI_ADDRCONFIG
        let code = uv_getaddrinfo(
            core.uv, request,
            { request, code, list in
                guard let request, let data = request.pointee.data else { return }
                request.deallocate()
                let connector = Unmanaged<HostConnector>.fromOpaque(data).takeRetainedValue()
                connector.found(code, list)
                uv_freeaddrinfo(list)
            }, host, String(port), &hints)
        guard code != 0 else { return }
        Unmanaged<HostConnector>.fromOpaque(request.pointee.data).release()
        request.deallocate()
        found(code, nil)
    }

    /// Gives up; `done` isn't called any more.
    func cancel() {
        done = nil
        connector?.cancel()
        connector = nil
    }

    private func found(_ code: Int32, _ list: UnsafeMutablePointer<addrinfo>?) {
        guard let done = done.take() else { return }
        var addresses: [[UInt8]] = []
        var next = list
        while let entry = next {
            let length = Int(entry.pointee.ai_addrlen)
            let bytes = UnsafeRawBufferPointer(start: entry.pointee.ai_addr, count: length)
            addresses.append(Array(bytes))
            next = entry.pointee.ai_next
        }
        guard code == 0 else {
            let reason = String(cString: uv_strerror(code))
            let text = "DNS: the name \(host) was not found (\(reason))."
            return done(.failure(WebSocketError(description: text)))
        }
        let connector = SocketConnector(
            on: core, to: addresses, target: "\(host):\(port)", done: done)
        self.connector = connector
        connector.start()
    }
}

/// Opens a TCP connection to the first of several addresses that answers, in order.
final class SocketConnector {
    private let core: LoopCore
    private let target: String
    private var addresses: [[UInt8]]
    private var done: ((Result<Int32, WebSocketError>) -> Void)?
    private var descriptor: Int32 = -1
    private var poll: UnsafeMutablePointer<uv_poll_t>?
    private var timer: LoopTimer?
    private var problem: WebSocketError?

    /// How long one address may take while there are others.
    private static let timeoutWithOthersLeft: Duration = .seconds(2)

    /// - Parameters:
    ///   - addresses: socket addresses as the system has them, port included.
    ///   - target: the target's name in an error.
    ///   - done: is given the descriptor, which it then owns, or the last address's problem.
    init(
        on core: LoopCore, to addresses: [[UInt8]], target: String,
        done: @escaping (Result<Int32, WebSocketError>) -> Void
    ) {
        self.core = core
        self.target = target
        self.addresses = addresses
        self.done = done
    }

    /// Begins; `done` may be called before this returns.
    func start() {
        guard !addresses.isEmpty else {
            let problem = problem ?? WebSocketError(description: "\(target) has no address.")
            finish(.failure(problem))
            return
        }
        let address = addresses.removeFirst()
        let code = begin(address)
        guard code == 0 else { return next(after: code) }
        let poll = UnsafeMutablePointer<uv_poll_t>.allocate(capacity: 1)
        guard uv_poll_init(core.uv, poll, descriptor) == 0 else {
            poll.deallocate()
            return next(after: EBADF)
        }
        self.poll = poll
        poll.pointee.data = Unmanaged.passUnretained(self).toOpaque()
        uv_poll_start(poll, Int32(UV_WRITABLE.rawValue)) { handle, status, _ in
            guard let data = handle?.pointee.data else { return }
            let connector = Unmanaged<SocketConnector>.fromOpaque(data).takeUnretainedValue()
            connector.answered(status)
        }
        guard !addresses.isEmpty else { return }
        timer = LoopTimer(on: core, after: Self.timeoutWithOthersLeft) { [weak self] in
            self?.next(after: ETIMEDOUT)
        }
    }

    /// Gives up; `done` isn't called any more.
    func cancel() {
        done = nil
        release()
        if descriptor >= 0 { Glibc.close(descriptor) }
        descriptor = -1
    }

    /// 0 if the connection is under way.
    private func begin(_ address: [UInt8]) -> Int32 {
        address.withUnsafeBytes { bytes in
            guard let start = bytes.baseAddress else { return EINVAL }
            let address = start.assumingMemoryBound(to: sockaddr.self)
            let type = Int32(SOCK_STREAM.rawValue | SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue)
            descriptor = socket(Int32(address.pointee.sa_family), type, 0)
            guard descriptor >= 0 else { return errno }
            var one: Int32 = 1
            let size = socklen_t(MemoryLayout<Int32>.size)
            setsockopt(descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, &one, size)
            let result = connect(descriptor, address, socklen_t(bytes.count))
            return result == 0 || errno == EINPROGRESS ? 0 : errno
        }
    }

    private func answered(_ status: Int32) {
        var code: Int32 = 0
        var length = socklen_t(MemoryLayout<Int32>.size)
        if getsockopt(descriptor, SOL_SOCKET, SO_ERROR, &code, &length) != 0 { code = errno }
        if code == 0, status < 0 { code = -status }
        guard code == 0 else { return next(after: code) }
        release()
        let connected = descriptor
        descriptor = -1
        finish(.success(connected))
    }

    private func next(after code: Int32) {
        release()
        if descriptor >= 0 { Glibc.close(descriptor) }
        descriptor = -1
        let text =
            switch code {
            case ECONNREFUSED: "Connection refused by \(target)."
            case ENETUNREACH, EHOSTUNREACH: "There is no route to \(target)."
            case ETIMEDOUT: "No answer from \(target)."
            default: "Could not connect to \(target): \(EventLoopError.text(of: code))."
            }
        problem = WebSocketError(description: text)
        start()
    }

    private func release() {
        timer?.cancel()
        timer = nil
        guard let poll = poll.take() else { return }
        uv_poll_stop(poll)
        core.closeHandle(poll)
    }

    private func finish(_ result: Result<Int32, WebSocketError>) {
        let done = done.take()
        if done == nil, case .success(let descriptor) = result { Glibc.close(descriptor) }
        done?(result)
    }
}
