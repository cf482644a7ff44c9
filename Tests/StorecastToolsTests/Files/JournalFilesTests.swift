import ArgumentParser
import Example
import Foundation
import StorecastSQLite
import StorecastTesting
import Testing
import TestSupport

@testable import StorecastTools

/// The commands that write journals' files.
@Suite(.timeLimit(.minutes(30)), .fewAtATime)
@MainActor struct JournalFilesTests {
    @Test func `a repair says what is lost, of whom, and to what version the room has come`()
        async throws
    {
        let board = try await ArchivedBoard()
        try await board.damage(by: "DELETE FROM snapshotParts; DELETE FROM snapshots")
        try await board.damage(by: "UPDATE entries SET seq = 99 WHERE offset = 11")
        let lines = try board.run(JournalRepairCommand.self)
        #expect(
            lines == [
                "Room '/' keeps 10 entries, up to offset 10: it is at version 7 now.",
                "  Lost: 2 entries, offsets 11 to 12.",
                "  Actions among them: 1 of 'ada', 1 of 'server'.",
                "Rooms that aren't said to be whole have a new epoch.",
                "The damaged file is kept as '\(board.path)-damaged-1'.",
            ])
        #expect(try board.run(JournalRepairCommand.self) == ["'\(board.path)' is sound."])
    }

    @Test func `a repair says where the history begins now`() async throws {
        let board = try await ArchivedBoard()
        try await board.damage(by: "UPDATE entries SET seq = 99 WHERE offset = 2")
        let lines = try board.run(JournalRepairCommand.self)
        #expect(
            lines.prefix(2) == [
                "Room '/' keeps 0 entries, up to offset 12: it is at version 9 now.",
                """
                  Its history begins with the snapshot at offset 12 now, of version 9, as entries \
                before it are damaged. The 12 that can be read of them are in effect, but no \
                longer in the log.
                """,
            ])
    }

    @Test func `an entry is skipped in the only room, whatever its path`() async throws {
        let directory = try TemporaryDirectory()
        let path = directory.file("home.sqlite")
        let bench = try await JournalBench { () throws(JournalError) in
            try await SQLiteStore.open(path)
        }
        try await bench.append(JournalSample.notes(2), to: "/home")
        await bench.close()
        var lines: [String] = []
        let command = try JournalSkipCommand.parse([path, "--offset", "2"])
        try command.run(writingTo: { lines.append($0) })
        #expect(
            lines.first?.hasPrefix("Room '/home' goes on without the entry at offset 2 ") == true)
        #expect(throws: CommandFailure.self) {
            try JournalSkipCommand.parse([path, "--offset", "2", "--room", "/"])
                .run(writingTo: { _ in })
        }
    }

    @Test func `a backup is checked, and a restore keeps what it replaces`() async throws {
        let board = try await ArchivedBoard()
        let copy = board.file("copy.sqlite")
        #expect(
            try board.run(JournalBackupCommand.self, copy)
                == ["'\(copy)' has 1 room with 12 entries, all good."])
        try expectFailure("is there already") { try board.run(JournalBackupCommand.self, copy) }
        try expectFailure("--replace") { try board.run(JournalRestoreCommand.self, copy) }
        #expect(
            try board.run(JournalRestoreCommand.self, copy, "--replace").first
                == "The file that was there is kept as '\(copy)-replaced-1'.")
        try await board.damage(by: "UPDATE entries SET seq = 99 WHERE offset = 2")
        try expectFailure("repair") {
            try board.run(JournalBackupCommand.self, board.file("bad.sqlite"))
        }
        try expectFailure("damaged") {
            try board.run(JournalRestoreCommand.self, board.file("new.sqlite"))
        }
    }

    @Test func `what is exported is imported as it was`() async throws {
        let board = try await ArchivedBoard(snapshotsAt: [5])
        let text = try board.export("--snapshots")
        let lines = board.file("lines.jsonl")
        try (text.joined(separator: "\r\n") + "\r\n\r\n").write(
            toFile: lines, atomically: true, encoding: .utf8)
        let copy = board.file("copy.sqlite")
        #expect(
            try importing(lines, into: copy)
                == ["'\(copy)' has room '/' now, with 12 entries."])
        let file = try JournalFile(copy)
        defer { file.close() }
        let original = try JournalFile(board.path)
        defer { original.close() }
        #expect(
            try file.entries(of: "/", after: 0) == original.entries(of: "/", after: 0))
        #expect(try file.snapshots(of: "/").map(\.offset) == [5, 12])
        #expect(
            try file.snapshot(of: "/", through: 12) == original.snapshot(of: "/", through: 12))
        #expect(try file.rooms()[0].epoch != original.rooms()[0].epoch)
    }

    @Test func `a room can be imported under another name, beside others`() async throws {
        let board = try await ArchivedBoard()
        let lines = board.file("lines.jsonl")
        try board.export().joined(separator: "\n").write(
            toFile: lines, atomically: true, encoding: .utf8)
        try expectFailure("Line 1: The file has a room '/' already. Nothing was imported.") {
            try importing(lines, into: board.path)
        }
        #expect(
            try importing(lines, into: board.path, "--room", "/then")
                == ["'\(board.path)' has room '/then' now, with 12 entries."])
        let file = try JournalFile(board.path)
        defer { file.close() }
        #expect(try file.rooms().map(\.name) == ["/", "/then"])
    }

    @Test(arguments: [
        ([], "The text has no entries."),
        ([1], "Line 1: A journal's text begins with its header."),
        ([0, 2, 1], "Line 3: The offset 1 isn't above 2"),
        ([0, 1, 0], "Line 3: A second header"),
        ([0, 13], "Line 2: "),
        ([0, 1, 14], "Line 3: "),
        ([0, 15], "Line 2: The member 'seq' isn't a whole number from 1"),
    ])
    func `what is wrong with a text is said with its line, and nothing is left`(
        _ chosen: [Int], problem: String
    ) async throws {
        let board = try await ArchivedBoard()
        let all =
            try ArchivedBoard.lines.prefix(13) + [
                #"{"offset":9}"#, "no JSON",
                ArchivedBoard.lines[1].replacing(
                    #""seq":1,"#, with: #""seq":18446744073709551615,"#),
            ]
        let lines = board.file("lines.jsonl")
        try chosen.map { all[$0] }.joined(separator: "\n").write(
            toFile: lines, atomically: true, encoding: .utf8)
        let copy = board.file("copy.sqlite")
        try expectFailure(problem) { try importing(lines, into: copy) }
        #expect(!FileManager.default.fileExists(atPath: copy))
    }

    @Test(arguments: [1, 4, 9], [[], [2, 6]] as [[UInt64]])
    func `a fork is the room as it was at the version`(
        _ version: UInt64, snapshots: [UInt64]
    ) async throws {
        let board = try await ArchivedBoard(snapshotsAt: snapshots)
        let copy = board.file("fork.sqlite")
        let said = try board.run(
            JournalForkCommand.self, "--at", "\(version)", "--to", copy, "--as", "/then")
        #expect(said[0].hasPrefix("'\(copy)' has room '/then' now"))
        let then = try board.run(JournalStateCommand.self, "--at", "\(version)")
        let states = try KnownRooms.$current.withValue(KnownRooms { _, _ in Board.room }) {
            var lines: [String] = []
            try JournalStateCommand.parse([copy]).run { lines.append($0) }
            return lines
        }
        #expect(states.last == then.last && states.dropFirst().elementsEqual(then.dropFirst()))
        try expectFailure("hasn't come to version 99") {
            try board.run(JournalForkCommand.self, "--at", "99", "--to", copy)
        }
    }

    private func importing(
        _ lines: String, into file: String, _ options: String...
    ) throws -> [String] {
        var said: [String] = []
        try JournalImportCommand.parse([file, lines] + options).run { said.append($0) }
        return said
    }

    /// Expects a command to end with a failure that says this.
    private func expectFailure(_ text: String, _ body: () throws -> [String]) throws {
        do {
            Issue.record("It said \(try body()).")
        } catch let failure as CommandFailure {
            #expect(failure.description.contains(text), "\(failure)")
        }
    }
}
