import StorecastSync
import StorecastTesting
import TestSupport
import Testing

@testable import StorecastTools

@Suite(.timeLimit(.minutes(30)), .fewAtATime)
@MainActor struct JournalRoomsTests {
    @Test func `a room is a line`() async throws {
        let board = try await ArchivedBoard(snapshotsAt: [5])
        let bench = try await board.bench()
        try await bench.append(JournalSample.notes(3), to: "/notes\n")
        try await bench.truncate("/", through: 5)
        await bench.close()
        #expect(
            try board.run(JournalRoomsCommand.self, "--utc") == [
                "  entries          kept     snapshots  newest                    room",
                "        7       after 5        2 (v9)  2025-11-21T12:00:30.000Z  /",
                #"        3           all             0  1970-01-12T13:46:43.000Z  /notes\n"#,
            ])
    }

    @Test func `as JSON it has the epoch and all snapshots`() async throws {
        let board = try await ArchivedBoard(snapshotsAt: [5])
        let bench = try await board.bench()
        let epoch = try await bench.history(of: "/").epoch
        let bytes = try #require(try await bench.snapshot(of: "/", through: 5)).content.count
        let last = try #require(try await bench.snapshot(of: "/", through: 12)).content.count
        await bench.close()
        let lines = try board.run(JournalRoomsCommand.self, "--json")
        let expected: JSON = [
            "room": "/", "epoch": .string(epoch), "entries": 12, "floor": 0, "head": 12,
            "newest": 1_763_726_430,
            "snapshots": [
                ["offset": 5, "version": 5, "bytes": .int(Int64(bytes))],
                ["offset": 12, "version": 9, "bytes": .int(Int64(last))],
            ],
        ]
        #expect(try lines.map { try JSON(parsing: $0) } == [expected])
    }

    @Test func `damage of the newest entry is seen here`() async throws {
        let board = try await ArchivedBoard()
        try await board.damage(by: "UPDATE entries SET seq = 1 WHERE offset = 12")
        #expect(try board.run(JournalRoomsCommand.self).last?.contains("  damaged ") == true)
    }
}
