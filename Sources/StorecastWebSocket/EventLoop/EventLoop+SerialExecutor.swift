extension EventLoop: SerialExecutor {
    /// Queues a job of an actor that runs on this loop; first in, first out with `execute`.
    public func enqueue(_ job: consuming ExecutorJob) { submit(.job(UnownedJob(job))) }

    /// Stops the process unless the caller is on the loop's thread.
    public func checkIsolated() {
        precondition(isCurrent, "Not on the event loop \(name).")
    }

    /// Whether the caller is on the loop's thread, so that `assumeIsolated` holds in callbacks.
    public func isIsolatingCurrentContext() -> Bool? { isCurrent }
}
