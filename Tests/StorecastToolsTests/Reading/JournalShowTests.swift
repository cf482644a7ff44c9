import StorecastRoom
import TestSupport
import Testing

@testable import StorecastTools

@Suite(.timeLimit(.minutes(30)), .fewAtATime)
@MainActor struct JournalShowTests {
    @Test func `an entry is shown with all that it carries and changed`() async throws {
        let board = try await ArchivedBoard()
        #expect(
            try board.run(JournalShowCommand.self, "2", "--utc") == [
                "version  2", "offset   2", "time     2025-11-21T12:00:01.500Z",
                "sender   ada (owner)", "client   6f1d3a5c9b7e42d08a4c1e6b5f927d30",
                "number   1 of the client's, which had seen version 1 and the outcomes up to 0",
                "seed     2000000014", "schema   1", "",
                "AddCard, stamp k77s4gc64pkhcdr6ts8jng3fvj",
                #"{"column": "todo", "text": "Write the archive"}"#, "", "It changed:",
                "~ /columns/0/count  0 → 1",
                #"+ /cards/k77s4gc64pkhcdr6ts8jng3fvj  ["V",{"id":"k77s4gc64pkhcdr6ts8jng3fvj","#
                    + #""column":"todo","text":"Write the archive","voters":[],"author":"ada","#
                    + #""created":…"#,
            ])
    }

    @Test func `all actions of an entry are shown, each with its stamp`() async throws {
        let board = try await ArchivedBoard()
        let lines = try board.run(JournalShowCommand.self, "--offset", "9")
        // The first 26 digits of base 32 (0–9, a–v) of Python's hashlib.sha256 of
        // "client/seq/index".
        #expect(lines.contains("MoveCard, stamp \(Self.stamps[0])"))
        #expect(lines.contains("Say, stamp \(Self.stamps[1])"))
    }

    private static let stamps = ["stiiu0onubdifhsd98eb0t2fk7", "3hufd3j3m77edvspg4gt2miv42"]

    @Test func `of an entry that led to no version it is said why`() async throws {
        let board = try await ArchivedBoard()
        #expect(
            try board.run(JournalShowCommand.self, "--offset", "6").prefix(2)
                == ["offset   6", "outcome  passed over, as it came before"])
        #expect(
            try board.run(JournalShowCommand.self, "--offset", "7").prefix(2) == [
                "offset   7",
                "outcome  rejected (forbidden): Only owners rename columns. Ask ada.",
            ])
        #expect(
            try board.run(JournalShowCommand.self, "--offset", "8").last == "It changed nothing.")
    }

    @Test func `as JSON the change is a patch`() async throws {
        let board = try await ArchivedBoard(snapshotsAt: [8])
        let lines = try board.run(JournalShowCommand.self, "7", "--json")
        let shown = try JSON(parsing: try #require(lines.first))
        #expect(shown["offset"] == 10)
        #expect(shown["version"] == 7)
        #expect(shown["patch"]?[0]?["op"] == "add")
        #expect(shown["patch"]?[0]?["path"] == "/columns/2")
        #expect(shown["patch"]?[0]?["value"]?["title"] == "Later")
        #expect(shown["patch"]?[1] == nil)
    }

    @Test func `what isn't there is said to be so`() async throws {
        let board = try await ArchivedBoard()
        let missing = #expect(throws: CommandFailure.self) {
            try board.run(JournalShowCommand.self, "10")
        }
        #expect(missing?.description == "Room '/' hasn't come to version 10: it is at 9.")
        let beyond = #expect(throws: CommandFailure.self) {
            try board.run(JournalShowCommand.self, "--offset", "13")
        }
        #expect(beyond?.description.contains("no entry at offset 13") == true)
    }

    @Test func `a damaged entry is shown as far as it can be read`() async throws {
        let board = try await ArchivedBoard()
        try await board.damage(by: "UPDATE entries SET seq = 7 WHERE offset = 4")
        let lines = try board.run(JournalShowCommand.self, "--offset", "4")
        #expect(
            lines.contains(
                "damaged  It isn't what was written, or not behind what was before it."))
        #expect(lines.contains("sender   bob"))
        #expect(lines.last?.hasPrefix("What it changed isn't known: ") == true)
    }
}
