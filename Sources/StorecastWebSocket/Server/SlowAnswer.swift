import CLibWebSockets
import Glibc

/// What a socket didn't take at once of an answer, and is sent as the peer reads.
///
/// Past libwebsockets: when version 4.1.6 waits until it can write on a plain connection, it
/// doesn't read what comes meanwhile, and is told of it again and again.
final class SlowAnswer {
    private let core: LoopCore
    private let descriptor: Int32
    private var answer: OutgoingAnswer
    private var poll: UnsafeMutablePointer<uv_poll_t>?
    private let ended: () -> Void

    /// - Parameters:
    ///   - socket: stays its owner's.
    ///   - ended: called when all is sent, or nothing more can be.
    init?(
        _ answer: OutgoingAnswer, on socket: Int32, _ core: LoopCore,
        ended: @escaping () -> Void
    ) {
        // libuv watches a descriptor once, and libwebsockets watches this one.
        descriptor = fcntl(socket, F_DUPFD_CLOEXEC, 0)
        guard descriptor >= 0 else { return nil }
        self.core = core
        self.answer = answer
        self.ended = ended
        let poll = UnsafeMutablePointer<uv_poll_t>.allocate(capacity: 1)
        guard uv_poll_init(core.uv, poll, descriptor) == 0 else {
            poll.deallocate()
            close(descriptor)
            return nil
        }
        self.poll = poll
        poll.pointee.data = Unmanaged.passUnretained(self).toOpaque()
        uv_poll_start(poll, Int32(UV_WRITABLE.rawValue)) { handle, _, _ in
            guard let data = handle?.pointee.data else { return }
            Unmanaged<SlowAnswer>.fromOpaque(data).takeUnretainedValue().goOn()
        }
    }

    /// Sends nothing more.
    func cancel() {
        guard let poll = poll.take() else { return }
        uv_poll_stop(poll)
        core.closeHandle(poll)
        close(descriptor)
    }

    private func goOn() {
        if case .more = answer.send(to: descriptor) { return }
        cancel()
        ended()
    }
}
