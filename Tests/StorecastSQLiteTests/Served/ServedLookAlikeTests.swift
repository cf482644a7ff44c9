import Logging
import StorecastClient
import StorecastSQLite
import StorecastServer
import Testing
import TestSupport

/// Rooms whose names look alike, on a server that is started again.
@Suite(.timeLimit(.minutes(30)), .fewAtATime)
@MainActor struct ServedLookAlikeTests {
    @Test(arguments: [1, 4])
    func `two rooms that look alike keep what each was told, in whichever order they come back`(
        loops: Int
    ) async throws {
        let directory = try TemporaryDirectory()
        // On four loops some of these pairs are parted and some aren't.
        var rooms = (0..<4).flatMap { [("b\($0)/%C3%A9", 2), ("b\($0)/e%CC%81", 3)] }
        for start in 0..<3 {
            let server = SyncServer(
                port: 0, journal: .sqlite(directory.file("count.sqlite")), loops: loops,
                logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() },
                rooms: { _ in Count.room })
            let url = try await server.start()
            for (path, actions) in rooms {
                let connection = RemoteConnection(url + path)
                let store = RemoteStore(Count.total, on: connection)
                var states = store.states.makeAsyncIterator()
                #expect(
                    try #require(await states.next(isolation: #isolation)) == start * actions,
                    "\(path) at start \(start)")
                for _ in 0..<actions { _ = try await connection.dispatch(Count.Add()).outcome }
                connection.close()
            }
            await server.stop()
            rooms.reverse()
        }
        let file = try JournalFile(directory.file("count.sqlite"))
        defer { file.close() }
        #expect(try file.rooms().count == 8)
    }
}
