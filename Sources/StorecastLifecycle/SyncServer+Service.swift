public import ServiceLifecycle
@_exported public import StorecastServer

/// A server among the services of a program, which start and end together.
///
/// ```swift
/// let group = ServiceGroup(
///     services: [server, application], gracefulShutdownSignals: [.sigterm, .sigint],
///     logger: logger)
/// try await group.run()
/// ```
extension SyncServer: Service {
    /// Serves until the group shuts down, or the task is cancelled, and then does what ``stop()``
    /// does: give the group longer for that than `SyncLimits.drainTimeout`, and in a cluster than two
    /// and a half times that.
    ///
    /// Signals are the group's: the server doesn't handle any, as its other `run` does.
    ///
    /// - Throws: a `ServerError` if it can't start, which ends the group.
    public func run() async throws {
        _ = try await start()
        // Whichever of the two it was.
        try? await gracefulShutdown()
        await stop()
    }
}
