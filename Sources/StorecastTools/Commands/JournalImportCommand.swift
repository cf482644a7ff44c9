import ArgumentParser
import StorecastSQLite

/// `storecast journal import`
struct JournalImportCommand: PrintingCommand {
    static let configuration = CommandConfiguration(
        commandName: "import",
        abstract: "Read a room's journal as text into a file, new or not.",
        discussion: """
            Reads what `storecast journal export` writes; Docs/Recovery.md says what that is. All \
            of it is taken, or nothing. The room must not be in the file yet; it gets an epoch of \
            its own. Stop a server that uses the file first.

              storecast journal import copy.sqlite board.jsonl
              storecast journal export a.sqlite | storecast journal import b.sqlite -
              storecast journal import board.sqlite board.jsonl --room /archive
            """)

    @Argument(help: "The journal's file, made if there is none.", completion: .file())
    var file: String

    @Argument(help: "The text; - for standard input.", completion: .file())
    var lines: String

    @Option(
        help: ArgumentHelp(
            "The room's path; by default the one that it had.", valueName: "path"))
    var room: String?

    func run(writingTo write: (String) -> Void) throws {
        let lines = try LineReader(lines)
        let text = try CommandFailure.translating {
            try JournalAddition.run(on: file) { addition in
                var text = JournalTextImport(to: addition, as: room)
                while let line = try lines.next() { try text.take(line, number: lines.number) }
                try text.end()
                return text
            }
        }
        write(
            "'\(file)' has room '\(text.room)' now, with "
                + "\(text.entries.counting("entry", "entries")).")
    }
}

/// `storecast journal fork`
struct JournalForkCommand: PrintingCommand {
    static let configuration = CommandConfiguration(
        commandName: "fork",
        abstract: "Copy a room's history up to a version, as a new room.",
        discussion: """
            To try something else from there on, or to look for what went wrong. The room that is \
            copied stays as it is, and a server may be using it. The copy gets an epoch of its own.

              storecast journal fork board.sqlite --at 120 --to then.sqlite
              storecast journal fork rooms.sqlite --room /a --at 12 --to b.sqlite --as /b

            A server that uses the file in which the copy is to be has to be stopped first.
            """)

    @OptionGroup var room: JournalRoomOptions

    @Option(help: ArgumentHelp("The version to go on from, 1 or more.", valueName: "version"))
    var at: UInt64

    @Option(
        help: ArgumentHelp("The copy's file, made if there is none.", valueName: "file"),
        completion: .file())
    var to: String

    @Option(
        name: .customLong("as"),
        help: ArgumentHelp(
            "What the copy is called; by default as the room is.", valueName: "path"))
    var name: String?

    func validate() throws {
        guard at > 0 else { throw ValidationError("A version to go on from is 1 or more.") }
    }

    func run(writingTo write: (String) -> Void) throws {
        let source = try room.open()
        defer { source.close() }
        var traveller = try RoomTraveller(source, near: .version(at))
        try traveller.go(to: .version(at))
        let end = try traveller.offset
        let copy = try CommandFailure.translating {
            try JournalAddition.run(on: to) { addition in
                var copy = JournalTextImport(to: addition, as: name)
                var text = try JournalText(of: source, from: nil, withSnapshots: true, through: end)
                while let line = try text.nextLine() { try copy.take(line) }
                return copy
            }
        }
        write(
            "'\(to)' has room '\(copy.room)' now, which is room '\(source.name)' at version \(at), "
                + "with \(copy.entries.counting("entry", "entries")).")
    }
}
