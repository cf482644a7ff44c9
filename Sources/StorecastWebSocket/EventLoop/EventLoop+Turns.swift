import CLibWebSockets

extension EventLoop {
    /// Calls `handler` at the end of each turn of the loop, from now on; on the loop's thread.
    ///
    /// That is after every callback and every queued job of the turn, and before the loop waits
    /// for the next event. Work that a handler queues runs in the next turn, which then comes at
    /// once. Handlers are called in the order in which they were added.
    package func onTurnEnd(_ handler: @escaping () -> Void) {
        core.turnEndHandlers.append(handler)
    }

    /// Does `work` on the loop once `delay` has passed; on the loop's thread.
    ///
    /// Never early; up to two milliseconds late, and as late as the loop is busy. Not done if the
    /// loop shuts down before.
    @discardableResult
    package func schedule(after delay: Duration, _ work: @escaping () -> Void) -> LoopTimer {
        LoopTimer(on: core, after: delay, work)
    }

    /// The time since a fixed moment in the past, which never goes back; from any thread.
    package func now() -> Duration { .nanoseconds(Int64(clamping: uv_hrtime())) }

    /// Calls `handler` on the loop whenever the process gets one of these signals, which then no
    /// longer have their usual effect; on the loop's thread. Ends with the loop.
    package func handleSignals(_ signals: [Int32], _ handler: @escaping (Int32) -> Void) {
        let core = core
        if core.isOver { return }
        for signal in signals {
            let handle = UnsafeMutablePointer<uv_signal_t>.allocate(capacity: 1)
            uv_signal_init(core.uv, handle)
            handle.pointee.data = Unmanaged.passUnretained(core).toOpaque()
            core.signals[handle] = handler
            uv_signal_start(
                handle,
                { handle, signal in
                    guard let handle, let data = handle.pointee.data else { return }
                    let core = Unmanaged<LoopCore>.fromOpaque(data).takeUnretainedValue()
                    core.signals[handle]?(signal)
                }, signal)
        }
    }

    /// Runs `body` on the loop and returns what it returns; from any task.
    package func perform<Value: Sendable>(
        _ body: @escaping @Sendable () throws -> Value
    ) async throws -> Value {
        try await withCheckedThrowingContinuation { continuation in
            execute { continuation.resume(with: Result(catching: body)) }
        }
    }
}
