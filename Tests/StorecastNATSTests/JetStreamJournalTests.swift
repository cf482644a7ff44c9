import Foundation
import StorecastRoom
import StorecastTesting
import TestSupport
import Testing

@testable import StorecastNATS

/// The journal at JetStream, with `nats-server` at the other end.
@Suite(
    .enabled(if: NATSProcess.isThere, "needs .build/python: see the README's test command"),
    .timeLimit(.minutes(5)))
struct JetStreamJournalTests {
    private static let layout = JetStreamLogs.Layout(name: "test", streams: 3, replicas: 1)

    private static func store(
        _ server: NATSProcess, _ layout: JetStreamLogs.Layout = layout,
        timeout: Duration = .seconds(20)
    ) async throws(JournalError) -> JetStreamStore {
        let configuration: NATSConfiguration
        do { configuration = try NATSConfiguration(server.address) } catch {
            throw .unavailable(error.description)
        }
        return try await JetStreamStore.open(configuration, layout, timeout: timeout)
    }

    @Test(arguments: JournalConformance.all)
    func `keeps what a journal promises`(check: JournalConformance) async throws {
        let server = try await NATSProcess()
        try await check.run { () throws(JournalError) in try await Self.store(server) }
    }

    /// With messages of some kilobytes, so that batches and snapshots are kept in parts.
    @Test(arguments: JournalConformance.all)
    func `keeps it in small messages as well`(check: JournalConformance) async throws {
        let server = try await NATSProcess("max_payload: 300000")
        try await check.run { () throws(JournalError) in try await Self.store(server) }
    }
}
