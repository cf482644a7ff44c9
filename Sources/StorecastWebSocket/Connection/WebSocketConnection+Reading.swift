import CLibWebSockets
import Glibc

/// Reading what a peer sends. A server reads its sockets here, since libwebsockets passes on
/// payloads only and not the bytes that came.
extension WebSocketConnection {
    /// The most bytes of a request without its body; of its fields the library takes half of that.
    private static let maximumHead = 8 << 10

    /// Server: begins to read a request; false if the system can't.
    func startReading(_ descriptor: Int32) -> Bool {
        reader = SocketReader(descriptor, on: core, for: self)
        guard reader != nil else { return false }
        core.sockets[id] = self
        return true
    }

    /// Server: takes the bytes that came; leaves those that follow a pause of reading.
    func receive(_ bytes: inout UnsafeMutableRawBufferPointer) {
        noteActivity()
        if phase == .handshaking { takeRequest(&bytes) }
        while phase == .open || phase == .closing, !isReadingPaused {
            let step = frames.next(&bytes)
            // A ping is answered before what follows it, whose answer may close the connection.
            if case .ping = step {} else { answerPing() }
            switch step {
            case .more:
                if messageBegan == 0, frames.isInside { messageBegan = lastActivity }
                return
            case .text(let text):
                messageBegan = 0
                if phase == .open { owner?.received(self, text: text) }
            case .assembled(let text):
                messageBegan = 0
                if phase == .open { text.withUnsafeBytes { owner?.received(self, text: $0) } }
            case .ping(let payload): pendingPing = payload
            case .pong: break
            case .close(let frame, let isValid):
                peerCloses(frame, isValid: isValid)
                endWhenWritten()
            case .violation(let frame): violated(frame)
            }
        }
        answerPing()
    }

    /// Answers the newest ping (RFC 6455 section 5.5.3) if a write is taken now.
    func answerPing() {
        guard pendingPing != nil, isWritable, let payload = pendingPing.take() else { return }
        payload.withUnsafeBytes { send(.pong, $0) }
    }

    /// The peer's close frame; answered here.
    func peerCloses(_ frame: CloseFrame, isValid: Bool) {
        noteActivity()
        guard phase == .open else { return }
        phase = .closing
        ending = frame
        if !isValid { problem = "The peer sent a bad close frame." }
        CloseFrame(code: frame.code).payload.withUnsafeBytes { send(.close, $0) }
    }

    /// The peer violated the protocol, or a limit.
    func violated(_ frame: CloseFrame) {
        guard phase == .open, let wsi else { return }
        close(code: frame.code, reason: frame.reason)
        // Nothing follows the close frame, nor does a client's library add one of its own.
        isLastWritten = true
        if !isLagging { shutdown(lws_get_socket_fd(wsi), Int32(SHUT_WR)) }
    }

    /// Server: nothing more will come.
    func peerEnded(isBroken: Bool) {
        if phase == .open { phase = .closing }
        if isBroken { kill() } else { endWhenWritten() }
    }

    /// Server: ends a connection that the library doesn't have yet, at once.
    func abandon() {
        guard reader != nil, phase == .handshaking else { return }
        remove()
    }

    private func endWhenWritten() {
        guard isLagging else { return kill() }
        endsWhenWritten = true
        owner?.closeQueue.add(self)
    }

    /// Takes the request, up to the empty line behind it, and lets the library answer.
    private func takeRequest(_ bytes: inout UnsafeMutableRawBufferPointer) {
        let known = head.count
        head += bytes.prefix(Self.maximumHead - known)
        guard let end = Self.end(of: head, from: max(0, known - 3)) else {
            bytes = UnsafeMutableRawBufferPointer(rebasing: bytes[bytes.endIndex...])
            // Without the end of a request the wait would be long, as for a TLS handshake.
            let isRequest = UInt8(ascii: "A")...UInt8(ascii: "Z") ~= head[0]
            if !isRequest || head.count >= Self.maximumHead { abandon() }
            return
        }
        bytes = UnsafeMutableRawBufferPointer(rebasing: bytes[(end - known)...])
        var request = head.take()
        request.removeLast(request.count - end)
        begin(with: request)
    }

    private func begin(with request: [UInt8]) {
        guard let reader, let library = try? core.libWebSockets() else { return abandon() }
        if let problem = UpgradeRules.problem(head: request) {
            problem.bytes.withUnsafeBytes { _ = reader.send($0) }
            return abandon()
        }
        let descriptor = reader.duplicate()
        guard descriptor >= 0 else { return abandon() }
        let reference = retainForLibrary()
        switch library.adopt(descriptor, request: request, for: reference) {
        case .alive: break
        case .over: detach()
        case .failed:
            Unmanaged<WebSocketConnection>.fromOpaque(reference).release()
            remove()
        }
        guard phase != .open, phase != .closing else { return }
        // The library has answered the request, or refused it.
        reader.cancel()
        self.reader = nil
        if phase == .handshaking { kill() }
    }

    /// The index behind the first empty line.
    private static func end(of head: [UInt8], from start: Int) -> Int? {
        var index = start
        while index + 4 <= head.count {
            if head[index] == 13, head[index + 1] == 10, head[index + 2] == 13,
                head[index + 3] == 10
            {
                return index + 4
            }
            index += 1
        }
        return nil
    }
}

/// Reads what a client sends, without libwebsockets, into the buffer that a loop's readers share;
/// and sends.
///
/// One system call a turn for each connection that has something, so that all get their share.
/// What was read but not taken, because reading was paused, is kept and delivered first when
/// reading resumes.
final class SocketReader {
    private let core: LoopCore
    private unowned let connection: WebSocketConnection
    private let descriptor: Int32
    private var poll: UnsafeMutablePointer<uv_poll_t>?
    private var unread: [UInt8] = []
    private var resumeTimer: LoopTimer?

    /// Begins to read.
    ///
    /// - Parameter descriptor: non-blocking; closed by `cancel`, or here if there is no reader.
    init?(_ descriptor: Int32, on core: LoopCore, for connection: WebSocketConnection) {
        self.core = core
        self.connection = connection
        self.descriptor = descriptor
        let poll = UnsafeMutablePointer<uv_poll_t>.allocate(capacity: 1)
        guard uv_poll_init(core.uv, poll, descriptor) == 0 else {
            poll.deallocate()
            close(descriptor)
            return nil
        }
        self.poll = poll
        poll.pointee.data = Unmanaged.passUnretained(self).toOpaque()
        watch()
    }

    /// The same connection for libwebsockets, as libuv watches a descriptor once; negative if the
    /// process has no more.
    func duplicate() -> Int32 { fcntl(descriptor, F_DUPFD_CLOEXEC, 0) }

    /// Sends what the system takes at once; returns how many bytes, also 0 if it takes none.
    func send(_ bytes: UnsafeRawBufferPointer) -> Int {
        max(0, Glibc.send(descriptor, bytes.baseAddress, bytes.count, Int32(MSG_NOSIGNAL)))
    }

    /// How many bytes the peer has said to have received; 0 where the system doesn't tell.
    var acknowledgedBytes: UInt64 {
        #if os(Linux)
            // `tcpi_bytes_acked` of Linux' tcp_info, which glibc's declaration ends before.
            let place = 120
            return withUnsafeTemporaryAllocation(byteCount: place + 8, alignment: 8) { info in
                var size = socklen_t(info.count)
                guard
                    getsockopt(descriptor, Int32(IPPROTO_TCP), TCP_INFO, info.baseAddress, &size)
                        == 0, Int(size) == info.count
                else { return 0 }
                return info.load(fromByteOffset: place, as: UInt64.self)
            }
        #else
            return 0
        #endif
    }

    func pause() {
        resumeTimer?.cancel()
        resumeTimer = nil
        if let poll { uv_poll_stop(poll) }
    }

    func resume() {
        guard !unread.isEmpty else { return watch() }
        guard resumeTimer == nil else { return }
        resumeTimer = LoopTimer(on: core, after: .zero) { [weak self] in self?.deliverUnread() }
    }

    /// Reads nothing more, and closes the descriptor.
    func cancel() {
        guard let poll = poll.take() else { return }
        resumeTimer?.cancel()
        resumeTimer = nil
        unread = []
        uv_poll_stop(poll)
        core.closeHandle(poll)
        close(descriptor)
    }

    private func watch() {
        guard let poll else { return }
        uv_poll_start(poll, Int32(UV_READABLE.rawValue)) { handle, status, _ in
            guard let data = handle?.pointee.data else { return }
            Unmanaged<SocketReader>.fromOpaque(data).takeUnretainedValue().read(status)
        }
    }

    private func read(_ status: Int32) {
        let buffer = core.receiveBuffer
        let count = recv(descriptor, buffer.baseAddress, buffer.count, 0)
        if count > 0 {
            deliver(UnsafeMutableRawBufferPointer(rebasing: buffer[..<count]))
            // libuv has stopped watching a socket that failed; what came before is read first.
            if status < 0, poll != nil, !connection.isReadingPaused { watch() }
        } else if count == 0 || status < 0 || errno != EAGAIN && errno != EINTR {
            let connection = connection
            pause()
            connection.peerEnded(isBroken: count != 0)
        }
    }

    /// Delivers what was read before the pause, then reads on.
    private func deliverUnread() {
        resumeTimer = nil
        var bytes = unread.take()
        bytes.withUnsafeMutableBytes { deliver($0) }
        if poll != nil, unread.isEmpty, !connection.isReadingPaused { watch() }
    }

    private func deliver(_ bytes: UnsafeMutableRawBufferPointer) {
        // Kept alive until the call returns.
        let connection = connection
        var bytes = bytes
        connection.receive(&bytes)
        if poll != nil { unread = Array(bytes) }
    }
}
