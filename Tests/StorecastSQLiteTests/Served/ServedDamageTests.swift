import GRDB
import StorecastSQLite
import StorecastServer
import TestSupport
import Testing

/// A server whose journal is damaged while it runs.
@Suite(.timeLimit(.minutes(30)), .fewAtATime)
@MainActor struct ServedDamageTests {
    @Test func `the server's own code is told that a room can't be read again`() async throws {
        var limits = SyncLimits()
        limits.unloadAfter = .zero
        let served = try await ServedCount(limits: limits)
        _ = try await served.start()
        let room = try await served.server.room("/", of: Count.self)
        _ = try await room.dispatch(Count.Add()).outcome
        let other = try DatabaseQueue(path: served.path)
        try await other.write { try $0.execute(sql: "UPDATE entries SET seq = 9") }
        try other.close()
        do {
            // Until it has left memory.
            while try await room.withStore({ $0.state.count }) == 1 {
                _ = await served.logs("room unloaded")
            }
            Issue.record("Another state was read.")
        } catch let error as ServerError {
            #expect(error.code == .journalUnreadable)
            #expect(error.description.contains("'/'"))
        }
        await served.stop()
    }
}
