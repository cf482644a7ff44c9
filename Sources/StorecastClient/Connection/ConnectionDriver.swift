import StorecastSync

/// The actor that owns a connection's state, on its transport's executor, so that the transport's
/// events reach it without a hop.
actor ConnectionDriver {
    nonisolated let status: ConnectionStatus
    private nonisolated let executor: any TransportExecutor
    private let core: ConnectionCore

    nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    init(
        url: String, token: (@Sendable () async throws -> String)?, transport: any Transport,
        random: any RandomNumberGenerator & Sendable
    ) {
        let status = ConnectionStatus()
        self.status = status
        executor = transport.executor
        core = ConnectionCore(
            url: url, token: token, transport: transport, status: status, random: random)
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
