import StorecastSimulation

/// Runs the tasks and actors of one simulated server, in the run's thread and as the run's events,
/// so that the same seed is always the same run.
final class SimulatedExecutor: SerialExecutor, TaskExecutor {
    // All of a run is in one thread.
    private nonisolated(unsafe) let server: any SimulatedServer
    private nonisolated(unsafe) var jobs: [UnownedJob] = []
    private nonisolated(unsafe) var isScheduled = false
    private nonisolated(unsafe) var isEnded = false

    init(of server: any SimulatedServer) { self.server = server }

    func enqueue(_ job: consuming ExecutorJob) {
        jobs.append(UnownedJob(job))
        if isScheduled { return }
        isScheduled = true
        if isEnded { run() } else { server.after(.zero) { [self] in run() } }
    }

    /// The process has ended: what is still to be run is, but nobody waits for it any more.
    func end() {
        isEnded = true
        run()
    }

    /// Runs what isn't asynchronous, as a callback on this executor.
    func perform(_ body: @escaping () -> Void) { server.after(.zero, body) }

    private func run() {
        // Swift would take the one's memory for the other's.
        precondition(withUnsafeCurrentTask { $0 == nil }, "A task runs within another.")
        isScheduled = true
        var next = 0
        while next < jobs.count {
            let job = jobs[next]
            next += 1
            job.runSynchronously(
                isolatedTo: asUnownedSerialExecutor(), taskExecutor: asUnownedTaskExecutor())
        }
        jobs.removeAll(keepingCapacity: true)
        isScheduled = false
    }

    func asUnownedSerialExecutor() -> UnownedSerialExecutor {
        UnownedSerialExecutor(ordinary: self)
    }

    func checkIsolated() {}

    func isIsolatingCurrentContext() -> Bool? { true }
}
