import CLibWebSockets

/// Work that an event loop does later, once.
package final class LoopTimer {
    private var handle: UnsafeMutablePointer<uv_timer_t>?
    private var work: (() -> Void)?
    private unowned let core: LoopCore

    init(on core: LoopCore, after delay: Duration, _ work: @escaping () -> Void) {
        self.core = core
        if core.isOver { return }
        self.work = work
        let handle = UnsafeMutablePointer<uv_timer_t>.allocate(capacity: 1)
        self.handle = handle
        uv_timer_init(core.uv, handle)
        handle.pointee.data = Unmanaged.passUnretained(self).toOpaque()
        core.timers[ObjectIdentifier(self)] = self
        // The delay counts from now, not from the beginning of the turn, which can be long. libuv
        // cuts its clock down to milliseconds; one more makes sure that the work isn't early.
        let milliseconds = delay.wholeMilliseconds
        let timeout = milliseconds == 0 ? 0 : milliseconds + 1
        uv_update_time(core.uv)
        let code = uv_timer_start(
            handle,
            { handle in
                guard let data = handle?.pointee.data else { return }
                Unmanaged<LoopTimer>.fromOpaque(data).takeUnretainedValue().fire()
            }, timeout, 0)
        precondition(code == 0, "libuv refused a timer.")
    }

    /// Whether the work is still to be done.
    package var isPending: Bool { work != nil }

    /// Drops the work; on the loop's thread. Does nothing if it is done or was dropped before.
    package func cancel() {
        work = nil
        release()
    }

    private func fire() {
        let work = work.take()
        release()
        work?()
    }

    private func release() {
        guard let handle = handle.take() else { return }
        uv_timer_stop(handle)
        core.closeHandle(handle)
        core.timers[ObjectIdentifier(self)] = nil
    }
}

extension Duration {
    /// Milliseconds, rounded up, so that nothing happens too early; never negative.
    var wholeMilliseconds: UInt64 {
        let (seconds, attoseconds) = components
        if seconds < 0 || attoseconds < 0 { return 0 }
        let fraction = UInt64((attoseconds + 999_999_999_999_999) / 1_000_000_000_000_000)
        return UInt64(clamping: seconds).multipliedReportingOverflow(by: 1000).partialValue
            &+ fraction
    }
}
