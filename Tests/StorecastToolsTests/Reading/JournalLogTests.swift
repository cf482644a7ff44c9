import ArgumentParser
import StorecastSQLite
import StorecastRoom
import StorecastTesting
import TestSupport
import Testing

@testable import Example
@testable import StorecastTools

@Suite(.timeLimit(.minutes(30)), .fewAtATime)
@MainActor struct JournalLogTests {
    @Test func `the log has a line for every entry, with what became of it`() async throws {
        let board = try await ArchivedBoard()
        #expect(
            try log(of: board, "--utc") == [
                line(
                    "        1         1", "2025-11-21T12:00:00.000Z  server    ",
                    #"ClientJoined {"participant":"t7eo59hq3koh25i1u1pinoo8cf","user":"ada"}"#),
                line(
                    "        2         2", "2025-11-21T12:00:01.500Z  ada       ",
                    #"AddCard {"column":"todo","text":"Write the archive"}"#),
                line(
                    "        3         3", "2025-11-21T12:00:02.000Z  server    ",
                    #"ClientJoined {"participant":"vojqo6ejpag3sd17untv765qdf","user":"bob"}"#),
                line(
                    "        4         4", "2025-11-21T12:00:03.000Z  bob       ",
                    #"AddCard {"column":"todo","text":"Read it – \"whole\" 📜","before":"k77s4gc64…"#
                ),
                line(
                    "        5         5", "2025-11-21T12:00:04.000Z  bob       ",
                    #"Vote {"card":"k77s4gc64pkhcdr6ts8jng3fvj"}"#),
                line(
                    "duplicate         6", "2025-11-21T12:00:04.000Z  bob       ",
                    #"Vote {"card":"k77s4gc64pkhcdr6ts8jng3fvj"}"#),
                line(
                    " rejected         7", "2025-11-21T12:00:05.000Z  bob       ",
                    "forbidden: Only owners rename columns. Ask ada."),
                line(
                    " rejected         8", "2025-11-21T12:00:06.000Z  ada       ",
                    #"Vote {"card":"nowhere"} – conflict: There is no such card (any more). "#
                        + "No card has the id 'nowhere'."),
                line(
                    "        6         9", "2025-11-21T12:00:07.250Z  ada       ",
                    #"MoveCard {"card":"k77s4gc64pkhcdr6ts8jng3fvj","column":"done"}; "#
                        + #"Say {"text":"Done!"}"#),
                line(
                    "        7        10", "2025-11-21T12:00:08.000Z  bob       ",
                    #"AddColumn {"title":"Later","before":"done"}"#),
                line("        8        11", "2025-11-21T12:00:09.000Z  ada       ", "nothing"),
                line(
                    "        9        12", "2025-11-21T12:00:30.000Z  server    ",
                    #"ClientLeft {"participant":"vojqo6ejpag3sd17untv765qdf","user":"bob"}"#),
            ])
    }

    /// What is asked for, and the offsets of what is shown then.
    @Test(arguments: [
        (["--after", "9"], [10, 11, 12]),
        (["--from", "5"], [5, 6, 7, 8, 9, 10, 11, 12]),
        (["--from", "5", "--to", "6"], [5, 6, 7, 8, 9]),
        (["--to", "1"], [1]),
        (["--from", "0", "--limit", "2"], [1, 2]),
        (["--last", "2"], [11, 12]),
        (["--last", "100", "--limit", "0"], []),
        (["--type", "AddCard", "--type", "Say"], [2, 4, 9]),
        (["--sender", "ada", "--after", "2"], [8, 9, 11]),
        (["--client", "b6c1f0d2a3e44f5586978899aabbccdd"], [1, 3, 12]),
        (["--last", "6", "--type", "Vote"], [8]),
    ])
    func `only what is wanted is shown`(arguments: [String], offsets: [Int]) async throws {
        let board = try await ArchivedBoard(snapshotsAt: [4, 9])
        let lines = try log(of: board, ["--json"] + arguments)
        #expect(try lines.map { try JSON(parsing: $0)["offset"]?.int } == offsets)
    }

    @Test func `as JSON an entry is what is exported, and what became of it`() async throws {
        let board = try await ArchivedBoard()
        let lines = try log(of: board, "--json", "--last", "5")
        try #require(lines.count == 5)
        let archive = try ArchivedBoard.lines
        var rejected = try JSON(parsing: archive[8])
        rejected["version"] = 5
        rejected["outcome"] = "rejected"
        rejected["reason"] = [
            "code": "conflict", "title": "There is no such card (any more).",
            "detail": "No card has the id 'nowhere'.",
        ]
        #expect(try JSON(parsing: lines[0]) == rejected)
        var reduced = try JSON(parsing: archive[9])
        reduced["version"] = 6
        reduced["outcome"] = "reduced"
        #expect(try JSON(parsing: lines[1]) == reduced)
    }

    @Test func `without the room's definition there is a log without versions`() async throws {
        let board = try await ArchivedBoard()
        let command = try JournalLogCommand.parse([board.path, "--utc", "--after", "6"])
        let lines = try print(command)
        #expect(
            lines.map { $0.prefix(19) }.prefix(3) == [
                " rejected         7", "        ?         8", "        ?         9",
            ])
    }

    @Test(arguments: [["--from", "3"], ["--to", "3"], ["--from", "2", "--to", "3"]])
    func `versions can't be asked for without the room's definition`(
        arguments: [String]
    ) async throws {
        let board = try await ArchivedBoard()
        let command = try JournalLogCommand.parse([board.path] + arguments)
        #expect(throws: CommandFailure.self) { try print(command) }
    }

    @Test func `behind a damaged entry nothing is said of outcomes`() async throws {
        let board = try await ArchivedBoard()
        try await board.damage(
            by: "UPDATE entries SET payload = replace(payload, 'Write', 'Wrote') WHERE offset = 2")
        #expect(
            try log(of: board, "--utc").map { $0.prefix(19) }.prefix(4) == [
                "        1         1", "  damaged         2", "        ?         3",
                "        ?         4",
            ])
    }

    @Test func `what a server appends is shown when it is looked for again`() async throws {
        let board = try await ArchivedBoard()
        let room = try open(board)
        defer { room.close() }
        let command = try JournalLogCommand.parse([board.path, "--json", "--last", "1"])
        var offsets: [Int?] = []
        try await KnownRooms.$current.withValue(KnownRooms { _, _ in Board.room }) {
            var log = try LogPrinter(of: room, command)
            func look() throws {
                try log.printNew { offsets.append((try? JSON(parsing: $0))?["offset"]?.int) }
            }
            try look()
            let bench = try await board.bench()
            try await bench.append([JournalSample.entry(1, [Say(text: "Still here")])], to: "/")
            try look()
            try look()
            await bench.close()
        }
        #expect(offsets == [12, 13])
    }

    /// What is asked for, and whether that is all: of the twelve entries, and of one more.
    @Test(
        arguments: [
            (["--last", "1"], [false, false]), (["--limit", "0"], [true, true]),
            (["--limit", "3"], [true, true]), (["--limit", "12"], [true, true]),
            (["--limit", "13"], [false, true]), (["--limit", "14"], [false, false]),
            (["--last", "1", "--limit", "2"], [false, true]),
            (["--type", "Say", "--limit", "1"], [true, true]),
            (["--type", "Say", "--limit", "2"], [false, true]),
            (["--type", "Vote", "--limit", "4"], [false, false]),
            (["--to", "8"], [true, true]), (["--to", "9"], [false, true]),
            (["--to", "10"], [false, false]),
        ] as [([String], [Bool])])
    func `following is over as soon as nothing more is wanted`(
        arguments: [String], isOver: [Bool]
    ) async throws {
        let board = try await ArchivedBoard()
        let room = try open(board)
        defer { room.close() }
        let command = try JournalLogCommand.parse([board.path, "--follow"] + arguments)
        try await KnownRooms.$current.withValue(KnownRooms { _, _ in Board.room }) {
            var log = try LogPrinter(of: room, command)
            try log.printNew { _ in }
            var seen = [log.isOver]
            let bench = try await board.bench()
            try await bench.append([JournalSample.entry(1, [Say(text: "Still here")])], to: "/")
            await bench.close()
            try log.printNew { _ in }
            seen.append(log.isOver)
            #expect(seen == isOver)
        }
    }

    @Test(arguments: [["--limit", "0"], ["--to", "8", "--sender", "nobody"]])
    func `the command ends by itself when following is over`(arguments: [String]) async throws {
        let board = try await ArchivedBoard()
        let arguments = [board.path, "--follow", "--json"] + arguments
        try await inTime("It follows on.", naps: longestWait / 4) {
            try await KnownRooms.$current.withValue(KnownRooms { _, _ in Board.room }) {
                try await JournalLogCommand.parse(arguments).run()
            }
        }
    }

    @Test func `a name or payload can't pretend to be another line`() async throws {
        let board = try await ArchivedBoard()
        let bench = try await board.bench()
        var entry = JournalSample.entry(1, [Say(text: "a\nb")])
        entry.sender = Identity("eve\n        1         1")
        try await bench.append([entry], to: "/")
        await bench.close()
        #expect(
            try log(of: board, "--utc", "--last", "1") == [
                #"       10        13  1970-01-12T13:46:41.000Z  eve\n        1         1  "#
                    + #"Say {"text":"a\nb"}"#
            ])
    }

    @Test func `what was refused is shown with its type, size and digest`() async throws {
        let board = try await ArchivedBoard()
        let bench = try await board.bench()
        var entry = JournalSample.entry(1, [])
        entry.rejection = Rejection(.unknownAction, "The room has none.")
        // FNV-1a of "a", as its authors publish it.
        entry.refused = RefusedAction(type: "Pwn\n\u{1B}[2J", payload: "a")
        try await bench.append([entry], to: "/")
        await bench.close()
        let lines = try log(of: board, "--utc", "--type", "Pwn\n\u{1B}[2J")
        try #require(lines.count == 1)
        #expect(lines[0].contains(#"  Pwn\n"#))
        #expect(
            lines[0].hasSuffix(
                "digest af63dc4c8601ec8c – unknown-action: The room has none."))
        let shown = try board.run(JournalShowCommand.self, "--offset", "13")
        #expect(shown.contains("Pwn\\n\u{1B}[2J, refused, 1 byte"))
        #expect(shown.contains("digest af63dc4c8601ec8c"))
    }

    private func line(_ numbers: String, _ origin: String, _ actions: String) -> String {
        "\(numbers)  \(origin)  \(actions)"
    }

    private func open(_ board: ArchivedBoard) throws -> RecordedRoom {
        try JournalRoomOptions.parse([board.path]).open()
    }

    private func log(of board: ArchivedBoard, _ arguments: String...) throws -> [String] {
        try log(of: board, arguments)
    }

    private func log(of board: ArchivedBoard, _ arguments: [String]) throws -> [String] {
        try KnownRooms.$current.withValue(KnownRooms { _, _ in Board.room }) {
            try print(try JournalLogCommand.parse([board.path] + arguments))
        }
    }

    private func print(_ command: JournalLogCommand) throws -> [String] {
        let room = try command.room.open()
        defer { room.close() }
        var lines: [String] = []
        var log = try LogPrinter(of: room, command)
        try log.printNew { lines.append($0) }
        return lines
    }
}
