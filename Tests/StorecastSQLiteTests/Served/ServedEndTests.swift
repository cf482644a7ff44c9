import StorecastClient
import StorecastSQLite
import TestSupport
import Testing

/// What a server leaves behind that is stopped.
@Suite(.timeLimit(.minutes(30)), .fewAtATime)
@MainActor struct ServedEndTests {
    /// So few entries are read as quickly as a snapshot.
    @Test(arguments: [(99, [0]), (150, [0, 150])] as [(Int, [UInt64])])
    func `a snapshot is written at the end, if the next start is quicker with it`(
        _ actions: Int, snapshots: [UInt64]
    ) async throws {
        let served = try await ServedCount()
        let ada = RemoteConnection(try await served.start())
        let dispatches = (0..<actions).map { _ in ada.dispatch(Count.Add()) }
        for dispatch in dispatches { _ = try await dispatch.outcome }
        await served.stop()
        ada.close()
        let file = try JournalFile(served.path)
        defer { file.close() }
        #expect(try file.snapshots(of: "/").map(\.version) == snapshots)
    }
}
