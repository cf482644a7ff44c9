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
