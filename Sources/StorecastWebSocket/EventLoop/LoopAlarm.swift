import CLibWebSockets
import Glibc

/// Does its work at moments that are set one after the other, as precisely as the system can; a
/// `LoopTimer` counts whole milliseconds. Belongs to the loop's thread.
package final class LoopAlarm {
    private let core: LoopCore
    private let work: () -> Void
    private let timer: Int32
    private var poll: UnsafeMutablePointer<uv_poll_t>?

    /// - Parameter work: is done once for each moment, until the loop shuts down or `cancel()`.
    /// - Throws: `EventLoopError` if there are no more file descriptors.
    package init(on loop: EventLoop, _ work: @escaping () -> Void) throws(EventLoopError) {
        core = loop.core
        self.work = work
        timer = sc_timer_make()
        guard timer >= 0 else { throw EventLoopError(what: "make a timer", code: errno) }
        let poll = UnsafeMutablePointer<uv_poll_t>.allocate(capacity: 1)
        let code = uv_poll_init(core.uv, poll, timer)
        guard code == 0 else {
            poll.deallocate()
            close(timer)
            throw EventLoopError(what: "watch a timer", code: code)
        }
        self.poll = poll
        poll.pointee.data = Unmanaged.passUnretained(self).toOpaque()
        core.endpoints[ObjectIdentifier(self)] = self
        uv_poll_start(poll, Int32(UV_READABLE.rawValue)) { handle, _, _ in
            guard let data = handle?.pointee.data else { return }
            Unmanaged<LoopAlarm>.fromOpaque(data).takeUnretainedValue().ring()
        }
    }

    /// Sets the moment, on the clock of `EventLoop.now()`, in place of an earlier one; one that
    /// has passed is now.
    package func set(at moment: Duration) {
        guard poll != nil else { return }
        let (seconds, attoseconds) = moment.components
        let nanoseconds = seconds * 1_000_000_000 + attoseconds / 1_000_000_000
        sc_timer_set(timer, UInt64(max(1, nanoseconds)))
    }

    /// Drops the moment, and the system's timer; does nothing the second time.
    package func cancel() {
        guard let poll else { return }
        self.poll = nil
        uv_poll_stop(poll)
        core.closeHandle(poll)
        close(timer)
        core.endpoints[ObjectIdentifier(self)] = nil
    }

    private func ring() {
        var times: UInt64 = 0
        // Nothing to read: it was set anew after it had rung.
        guard read(timer, &times, 8) == 8 else { return }
        work()
    }
}

extension LoopAlarm: LoopEndpoint {
    func loopStops() { cancel() }
}
