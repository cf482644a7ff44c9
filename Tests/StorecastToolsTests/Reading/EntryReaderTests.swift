import ArgumentParser
import StorecastSQLite
import StorecastRoom
import StorecastTesting
import TestSupport
import Testing

@testable import StorecastTools

@Suite(.timeLimit(.minutes(30)), .fewAtATime)
@MainActor struct EntryReaderTests {
    @Test func `every entry is read once, over all pages, and what comes later too`() async throws {
        let board = try await ArchivedBoard()
        let bench = try await board.bench()
        try await bench.append(JournalSample.notes(450), to: "/notes")
        let room = try open(board)
        defer { room.close() }
        var reader = EntryReader(room, after: 0)
        var numbers: [UInt64] = []
        while let entry = try reader.next() { numbers.append(try #require(entry.record).seq) }
        #expect(numbers == Array(1...450))
        try await bench.append(JournalSample.notes(2, from: 451), to: "/notes")
        #expect(try reader.nextOffset() == 12 + 451)
        #expect(try reader.next()?.record?.seq == 451)
        #expect(try reader.next()?.record?.seq == 452)
        #expect(try reader.next() == nil)
        await bench.close()
    }

    @Test func `what is given up while it is read isn't skipped`() async throws {
        let board = try await ArchivedBoard()
        let bench = try await board.bench()
        try await bench.append(JournalSample.notes(450), to: "/notes")
        let room = try open(board)
        defer { room.close() }
        var reader = EntryReader(room, after: 0)
        #expect(try reader.next()?.record?.seq == 1)
        let snapshot = JournalSnapshot(offset: 400, version: 388, content: Array("{}".utf8))
        try await bench.save(snapshot, of: "/notes")
        try await bench.truncate("/notes", through: 400)
        let failure = #expect(throws: CommandFailure.self) {
            while try reader.next() != nil {}
        }
        #expect(failure?.description.contains("up to offset 400 were given up") == true)
        await bench.close()
    }

    private func open(_ board: ArchivedBoard) throws -> RecordedRoom {
        try JournalRoomOptions.parse([board.path, "--room", "/notes"]).open()
    }
}
