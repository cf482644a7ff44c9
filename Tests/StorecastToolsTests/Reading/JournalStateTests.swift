import ArgumentParser
import Example
import StorecastRoom
import StorecastTesting
import TestSupport
import Testing

@testable import StorecastTools

@Suite(.timeLimit(.minutes(30)), .fewAtATime)
@MainActor struct JournalStateTests {
    @Test(arguments: [[], [4], [2, 5, 8, 11]])
    func `any version's state is found, from whichever snapshot is nearest`(
        snapshots: [UInt64]
    ) async throws {
        let board = try await ArchivedBoard(snapshotsAt: snapshots)
        // How many cards there are in all, and who is there.
        for (version, cards, people) in [
            ("0", 0, 0), ("1", 0, 1), ("2", 1, 1), ("3", 1, 2), ("4", 2, 2), ("5", 2, 2),
            ("8", 2, 2), ("9", 2, 1),
        ] {
            let state = try state(of: board, "--at", version)
            #expect(state["cards"]?.object?.count == cards)
            #expect(state["presence"]?["participants"]?.array?.count == people)
        }
    }

    @Test func `the newest state is that of the snapshot at the end`() async throws {
        let board = try await ArchivedBoard()
        let replay = RoomReplay(Board.room)
        // Which fails unless the entries lead to the snapshot.
        try replay.read(ArchivedBoard.lines.joined(separator: "\n"))
        #expect(try JSONCoding.decode(Board.self, from: state(of: board)) == replay.state)
    }

    @Test func `a state is found by offset, also between entries`() async throws {
        let board = try await ArchivedBoard(snapshotsAt: [5])
        let fifth = try state(of: board, "--at", "5")
        for offset in ["5", "6", "7", "8"] {
            #expect(try state(of: board, "--offset", offset) == fifth)
        }
        #expect(try state(of: board, "--offset", "4") != fifth)
        #expect(try state(of: board, "--offset", "9") != fifth)
        #expect(try state(of: board, "--offset", "99") == state(of: board))
    }

    @Test func `a snapshot that isn't good is passed over for an older one`() async throws {
        let board = try await ArchivedBoard(snapshotsAt: [4, 5])
        let before = try state(of: board, "--at", "6")
        try await board.damage(
            by: """
                UPDATE snapshotParts SET content = x'00'
                WHERE snapshot = (SELECT id FROM snapshots WHERE offset = 5)
                """)
        #expect(try state(of: board, "--at", "6") == before)
    }

    @Test func `behind a damaged entry no state is claimed, but from a later snapshot`()
        async throws
    {
        let board = try await ArchivedBoard(snapshotsAt: [9])
        try await board.damage(by: "UPDATE entries SET payload = '{}' WHERE offset = 4")
        let failure = #expect(throws: CommandFailure.self) {
            try state(of: board, "--at", "4")
        }
        #expect(failure?.description.contains("The entry at offset 4 ") == true)
        #expect(throws: CommandFailure.self) { try state(of: board, "--offset", "5") }
        #expect(try state(of: board, "--at", "6")["chat"]?[0]?["text"] == "Done!")
    }

    @Test func `what is no longer kept isn't known any more`() async throws {
        let board = try await ArchivedBoard(snapshotsAt: [5])
        let bench = try await board.bench()
        try await bench.truncate("/", through: 5)
        await bench.close()
        let failure = #expect(throws: CommandFailure.self) {
            try state(of: board, "--at", "4")
        }
        #expect(failure?.description.contains("The oldest is of version 5.") == true)
        #expect(try state(of: board, "--at", "5")["cards"]?.object?.count == 2)
    }

    @Test func `who is forgotten is in the log, however many clients are remembered`() async throws
    {
        let board = try await ArchivedBoard()
        let bench = try await board.bench()
        let mark = ClientLedger.mark(of: "a")
        let dispatches: [(String, UInt64, any SyncAction)] = [
            ("a", 1, Say(text: "a")), ("b", 1, Say(text: "b")),
            ("server", 1, ForgetClients(clients: [mark])), ("a", 2, Say(text: "a")),
        ]
        for (client, seq, action) in dispatches {
            var entry = JournalSample.entry(seq, [action])
            entry.client = client
            entry.base = 0
            try await bench.append([entry], to: "/talk")
        }
        await bench.close()
        // Nobody can tell whether a's second had been reduced before.
        for clients in [1, 100] {
            var limits = SyncLimits()
            limits.clients = clients
            try KnownRooms.$current.withValue(KnownRooms(limits: limits) { _, _ in nil }) {
                let state = try state(of: board, "--room", "/talk", "--at", "3")
                #expect(state["chat"]?.array?.count == 2)
            }
        }
    }

    @Test func `a room that isn't there is answered with those that are`() async throws {
        let board = try await ArchivedBoard()
        let failure = #expect(throws: CommandFailure.self) {
            try state(of: board, "--room", "/lobby")
        }
        #expect(
            failure?.description
                == "There is no room '/lobby' in '\(board.path)'. Say --room with one that is "
                + "there: '/'.")
    }

    @Test func `a selection of any version is what a client saw`() async throws {
        let board = try await ArchivedBoard()
        let chat = try state(of: board, "--at", "5", "--select", "chat")
        #expect(chat == [])
        let column = try state(
            of: board, "--at", "4", "--select", "column", "--parameters",
            #"{"column":"todo","limit":1}"#)
        #expect(column["rows"]?.array?.count == 1 && column["hasAfter"] == true)
        let cards = try state(of: board, "--select", "myCards", "--as", "bob")
        #expect(cards["rows"] == [])
        let failure = #expect(throws: CommandFailure.self) {
            try state(of: board, "--select", "nothing")
        }
        #expect(failure?.status == .refused)
        #expect(failure?.description.hasPrefix("The room has no such selection.") == true)
    }

    @Test func `a difference is a line for each change`() async throws {
        let board = try await ArchivedBoard()
        let card =
            #"["V",{"id":"k77s4gc64pkhcdr6ts8jng3fvj","column":"todo","#
            + #""text":"Write the archive","voters":[],"author":"ada","created":…"#
        #expect(
            try board.run(JournalDiffCommand.self, "1", "2") == [
                "~ /columns/0/count  0 → 1", "+ /cards/k77s4gc64pkhcdr6ts8jng3fvj  \(card)",
            ])
        let back = try board.run(JournalDiffCommand.self, "2", "1")
        #expect(back.first == "~ /columns/0/count  1 → 0")
        #expect(back.last?.hasPrefix(#"~ /cards  {"k77s4gc64pkhcdr6ts8jng3fvj":["V","#) == true)
        #expect(back.last?.hasSuffix("… → {}") == true)
        #expect(
            try board.run(JournalDiffCommand.self, "4", "5")
                == [
                    #"+ /cards/k77s4gc64pkhcdr6ts8jng3fvj/1/voters/0  "bob""#,
                    "~ /votes  0 → 1",
                ])
        #expect(try board.run(JournalDiffCommand.self, "7", "8").isEmpty)
    }

    @Test func `as JSON a difference is a patch from one to the other`() async throws {
        let board = try await ArchivedBoard()
        let lines = try board.run(JournalDiffCommand.self, "9", "3", "--json")
        let text = try JSONDocument(try #require(lines.first))
        var value = try state(of: board, "--at", "9")
        try JSONPatch(reading: text.root).apply(to: &value)
        #expect(try value == state(of: board, "--at", "3"))
    }

    private func state(of board: ArchivedBoard, _ arguments: String...) throws -> JSON {
        var lines: [String] = []
        let command = try JournalStateCommand.parse([board.path, "--json"] + arguments)
        try KnownRooms.$current.withValue(
            KnownRooms(limits: KnownRooms.current.limits) { _, _ in Board.room }
        ) {
            try command.run { lines.append($0) }
        }
        #expect(lines.count == 1)
        return try JSON(parsing: lines.joined())
    }
}
