import StorecastMirror
import StorecastSync

/// The actor that owns a connection's state, on its transport's executor, so that the transport's
/// events reach it without a hop.
actor ConnectionDriver {
    /// The dispatches without an outcome, for all threads.
    nonisolated let outbox: SharedOutbox
    nonisolated let monitor: ConnectionMonitor
    private nonisolated let executor: any TransportExecutor
    private let core: ConnectionCore

    nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    init(_ configuration: ConnectionConfiguration) {
        let core = ConnectionCore(configuration)
        self.core = core
        outbox = core.session.outbox
        monitor = core.monitor
        executor = configuration.transport.executor
        core.owner = self
    }

    /// Runs `work` on the executor, behind everything given to it before.
    nonisolated func perform(_ work: @escaping @Sendable (ConnectionCore) -> Void) {
        executor.execute { [self] in enter(work) }
    }

    /// Runs `work` later.
    nonisolated func perform(
        after delay: Duration, _ work: @escaping @Sendable (ConnectionCore) -> Void
    ) {
        executor.execute(after: delay) { [weak self] in self?.enter(work) }
    }

    /// Runs `work` at once; only on the executor.
    nonisolated func enter(_ work: @Sendable (ConnectionCore) -> Void) {
        assumeIsolated { driver in work(driver.core) }
    }
}
