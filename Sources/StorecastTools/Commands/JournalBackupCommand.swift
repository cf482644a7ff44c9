import ArgumentParser
import StorecastSQLite

/// `storecast journal backup`
struct JournalBackupCommand: PrintingCommand {
    static let configuration = CommandConfiguration(
        commandName: "backup",
        abstract: "Copy a journal's file, also while a server uses it, and check the copy.",
        discussion: """
            The copy is the file as it is at one moment. Copying the file by other means while a \
            server uses it may give one that can't be used.

              storecast journal backup board.sqlite backups/monday.sqlite

            The copy is read through; if something in it isn't what was written, the command \
            fails, and leaves the copy to be looked at.
            """)

    @Argument(help: "The journal's file.", completion: .file())
    var file: String

    @Argument(help: "The file to make, which isn't there yet.", completion: .file())
    var to: String

    func run(writingTo write: (String) -> Void) throws {
        try CommandFailure.translating {
            let source = try JournalFile(file)
            defer { source.close() }
            let bar = ProgressBar("copying")
            try source.backUp(to: to) { bar.show($0) }
            bar.end()
            let copy = try JournalFile(to)
            defer { copy.close() }
            guard try copy.isSound() else {
                throw CommandFailure(
                    .trouble,
                    "'\(file)' is damaged, and so is the copy. Stop the server and run: storecast "
                        + "journal repair \(file)")
            }
            let rooms = try copy.rooms()
            let entries = rooms.reduce(0) { $0 + $1.entries }
            write(
                "'\(to)' has \(rooms.count.counting("room", "rooms")) with "
                    + "\(entries.counting("entry", "entries")), all good.")
        }
    }
}
