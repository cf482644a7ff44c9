import CLibWebSockets
import Glibc

/// Reads what a client sends, without libwebsockets, into the buffer that a loop's readers share.
///
/// One system call a turn for each connection that has something, so that all get their share.
/// What was read but not taken, because reading was paused, is kept and delivered first when
/// reading resumes.
final class SocketReader {
    private let core: LoopCore
    private unowned let connection: WebSocketConnection
    private let descriptor: Int32
    private var poll: UnsafeMutablePointer<uv_poll_t>?
    private var rest: [UInt8] = []
    private var turn: LoopTimer?

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

    /// Sends a short answer; the first bytes on this connection, so the system takes them.
    func send(_ bytes: [UInt8]) {
        _ = Glibc.send(descriptor, bytes, bytes.count, Int32(MSG_NOSIGNAL))
    }

    func pause() {
        turn?.cancel()
        turn = nil
        if let poll { uv_poll_stop(poll) }
    }

    func resume() {
        guard !rest.isEmpty else { return watch() }
        guard turn == nil else { return }
        turn = LoopTimer(on: core, after: .zero) { [weak self] in self?.goOn() }
    }

    /// Reads nothing more, and closes the descriptor.
    func cancel() {
        guard let poll = poll.take() else { return }
        turn?.cancel()
        turn = nil
        rest = []
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

    /// What was read before the pause, then what comes.
    private func goOn() {
        turn = nil
        var bytes = rest.take()
        bytes.withUnsafeMutableBytes { deliver($0) }
        if poll != nil, rest.isEmpty, !connection.isReadingPaused { watch() }
    }

    private func deliver(_ bytes: UnsafeMutableRawBufferPointer) {
        // Kept alive until the call returns.
        let connection = connection
        var bytes = bytes
        connection.receive(&bytes)
        if poll != nil { rest = Array(bytes) }
    }
}
