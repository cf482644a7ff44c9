import GRDB
import GRDBSQLite
import Logging
import StorecastClient
import StorecastSQLite
import StorecastServer
import TestSupport
import Testing

/// Clients of a server whose journal can't be written for a while.
@Suite(.timeLimit(.minutes(30)), .fewAtATime)
@MainActor struct ServedFaultTests {
    /// How the disk fails, and what the server's log says then.
    private nonisolated static let faults: [(DiskVerdict.Judge, String)] = [
        ({ _, operation in DiskFault.full.verdict(on: operation) }, "The disk is full."),
        ({ _, operation in DiskFault.tornWrite.verdict(on: operation) }, "took nothing"),
        (
            { _, operation in
                if case .sync = operation { return DiskFault.error.verdict(on: operation) }
                return .done
            }, "may have taken a batch"
        ),
    ]

    @Test(arguments: faults.indices)
    func `while the disk fails mirrors go on, and what is dispatched is taken later, once`(
        _ index: Int
    ) async throws {
        let (judge, message) = Self.faults[index]
        let served = try await ServedCount()
        let disk = FaultyDisk(under: served.path)
        defer { disk.remove() }
        let url = try await served.start()
        let ada = RemoteConnection(url)
        #expect(try await ada.dispatch(Count.Add()).outcome.version == 1)
        disk.judge(judge)
        let dispatches = (0..<3).map { _ in ada.dispatch(Count.Add()) }
        #expect(await served.logs(message))
        try await served.expectCount(1)
        disk.putRight()
        for dispatch in dispatches { _ = try await dispatch.outcome }
        try await served.expectCount(4)
        ada.close()
        await served.stop()
        #expect(try served.keptVersions() == 4)
    }

    @Test func `another program that locks the file is waited for`() async throws {
        let served = try await ServedCount()
        let ada = RemoteConnection(try await served.start())
        #expect(try await ada.dispatch(Count.Add()).outcome.version == 1)
        var configuration = Configuration()
        configuration.allowsUnsafeTransactions = true
        let other = try DatabaseQueue(path: served.path, configuration: configuration)
        try await other.writeWithoutTransaction { try $0.beginTransaction(.immediate) }
        let dispatch = ada.dispatch(Count.Add())
        #expect(await served.logs("Another program keeps the file locked."))
        try await served.expectCount(1)
        try await other.writeWithoutTransaction { try $0.rollback() }
        try other.close()
        #expect(try await dispatch.outcome.version == 2)
        ada.close()
        await served.stop()
    }

    @Test func `a second server on the file says which process has it, and the first goes on`()
        async throws
    {
        let served = try await ServedCount()
        let ada = RemoteConnection(try await served.start())
        let second = SyncServer(port: 0, journal: .sqlite(served.path), room: Count.room)
        do {
            _ = try await second.start()
            Issue.record("It started.")
        } catch {
            #expect(error.code == .journalUnavailable)
            #expect(error.description.contains("is in use by the process"))
        }
        #expect(try await ada.dispatch(Count.Add()).outcome.version == 1)
        ada.close()
        await served.stop()
    }
}
