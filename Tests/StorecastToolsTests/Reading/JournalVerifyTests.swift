import ArgumentParser
@testable import Example
import StorecastSync
import StorecastTesting
import TestSupport
import Testing

@testable import StorecastTools

@Suite(.timeLimit(.minutes(30)), .fewAtATime)
@MainActor struct JournalVerifyTests {
    @Test func `a journal that is right is said to be`() async throws {
        let board = try await ArchivedBoard(snapshotsAt: [3, 8])
        #expect(
            try verify(board, as: Board.room) == [
                "/: 12 entries and 3 snapshots are what was written. Reduced again, they lead to "
                    + "the same states."
            ])
    }

    /// Whoever reduces with another definition than the server's may be told so by nothing else.
    @Test func `what no snapshot tells isn't said to be the same`() async throws {
        let board = try await ArchivedBoard(snapshotsAt: [3, 8])
        try await board.damage(
            by: """
                DELETE FROM snapshotParts
                WHERE snapshot = (SELECT id FROM snapshots WHERE offset = 12);
                DELETE FROM snapshots WHERE offset = 12
                """)
        #expect(
            try verify(board, as: Board.room) == [
                "/: 12 entries and 2 snapshots are what was written. Reduced again, they lead to "
                    + "the same states as far as snapshots tell them: not for the last 4 entries."
            ])
    }

    @Test func `so is what is left of one`() async throws {
        let board = try await ArchivedBoard(snapshotsAt: [3, 8])
        let bench = try await board.bench()
        try await bench.truncate("/", through: 8)
        await bench.close()
        #expect(
            try verify(board, as: Board.room) == [
                "/: 4 entries and 2 snapshots are what was written. Reduced again, they lead to "
                    + "the same states."
            ])
    }

    @Test func `without the room's definition the file alone is checked`() async throws {
        let board = try await ArchivedBoard()
        let lines = try verify(board, as: nil)
        try #require(lines.count == 1)
        #expect(
            lines[0].hasPrefix(
                "/: 12 entries and 1 snapshot are what was written. What the actions of room '/' "
                    + "do isn't known here"))
    }

    @Test func `damage is named, whatever else is right`() async throws {
        let board = try await ArchivedBoard(snapshotsAt: [3, 8])
        try await board.damage(by: "UPDATE entries SET time = 0 WHERE offset IN (2, 10)")
        try await board.damage(
            by: """
                UPDATE snapshotParts SET content = x'00'
                WHERE snapshot = (SELECT id FROM snapshots WHERE offset = 3)
                """)
        #expect(
            failing(board, as: Board.room) == [
                "/: 10 entries and 2 snapshots are what was written. From there on the states "
                    + "aren't known.",
                "  The entry at offset 2 isn't what was written, or not behind what was written "
                    + "before it.",
                "  The snapshot at offset 3 isn't what was written.",
                "  The entry at offset 10 isn't what was written, or not behind what was written "
                    + "before it.",
            ])
    }

    @Test func `of much damage the beginning is named`() async throws {
        let board = try await ArchivedBoard()
        let bench = try await board.bench()
        try await bench.append(JournalSample.notes(30), to: "/notes")
        await bench.close()
        try await board.damage(by: "UPDATE entries SET time = 0 WHERE offset > 12")
        let lines = failing(board, as: nil)
        try #require(lines.count == 23)
        #expect(lines[1].hasPrefix("/notes: 0 entries and 0 snapshots are"))
        #expect(lines[22] == "  … and 10 problems more")
    }

    /// What is said, at offset 9, is something else at each replay.
    @Test func `a reducer that isn't deterministic is found out, with the action`() async throws {
        let board = try await ArchivedBoard()
        let room = RoomDefinition(
            state: Board(),
            actions: [AddCard.self, Vote.self, MoveCard.self, Say.self, AddColumn.self],
            selections: []
        ) { board, action in
            if var say = action as? Say {
                say.text = "\(UInt64.random(in: 0 ... .max))"
                return Board.reduce(&board, say)
            }
            Board.reduce(&board, action)
        }
        let lines = failing(board, as: room)
        try #require(lines.count == 2)
        #expect(
            lines[0] == "/: 12 entries and 1 snapshot are what was written. Reduced again, they "
                + "lead to other states.")
        #expect(
            lines[1].hasPrefix(
                "  Two replays differ first behind offset 9, version 7: MoveCard, Say."))
        #expect(lines[1].hasSuffix("They differ at: /chat/0/text"))
    }

    @Test func `a reducer that has changed is found out by a snapshot`() async throws {
        let board = try await ArchivedBoard()
        let room = RoomDefinition(
            state: Board(),
            actions: [AddCard.self, Vote.self, MoveCard.self, Say.self, AddColumn.self],
            selections: []
        ) { board, action in
            if !(action is Vote) { Board.reduce(&board, action) }
        }
        .upcastState(from: 1, Board.intoTable)
        let lines = failing(board, as: room)
        try #require(lines.count == 2)
        #expect(lines[1].hasPrefix("  The snapshot at offset 12 isn't what the log leads to now"))
    }

    private func verify(
        _ board: ArchivedBoard, as room: (any RoomDefinitionProtocol)?,
        _ write: ((String) -> Void)? = nil
    ) throws -> [String] {
        var lines: [String] = []
        let command = try JournalVerifyCommand.parse([board.path])
        try KnownRooms.$current.withValue(KnownRooms { _, _ in room }) {
            try command.run(writingTo: write ?? { lines.append($0) })
        }
        return lines
    }

    /// What is said of a journal with which something is wrong.
    private func failing(
        _ board: ArchivedBoard, as room: (any RoomDefinitionProtocol)?
    ) -> [String] {
        var lines: [String] = []
        let failure = #expect(throws: CommandFailure.self) {
            _ = try verify(board, as: room) { lines.append($0) }
        }
        #expect(failure?.status == .refused)
        return lines
    }
}
