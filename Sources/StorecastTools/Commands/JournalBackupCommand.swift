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

/// `storecast journal restore`
struct JournalRestoreCommand: PrintingCommand {
    static let configuration = CommandConfiguration(
        commandName: "restore",
        abstract: "Make a backup the journal again.",
        discussion: """
            Stop the server first, and start it again behind this.

              storecast journal restore backups/monday.sqlite board.sqlite --replace

            Every room gets a new epoch: what happened since the backup is gone, so clients take \
            their state from the server anew. Actions that were acknowledged since then aren't \
            sent again; those that clients still have in their outboxes are.
            """)

    @Argument(help: "The backup, which stays as it is.", completion: .file())
    var backup: String

    @Argument(help: "The journal's file.", completion: .file())
    var file: String

    @Flag(help: "If the file is there, put the backup in its place and keep it under another name.")
    var replace = false

    func run(writingTo write: (String) -> Void) throws {
        let bar = ProgressBar("copying")
        let kept = try CommandFailure.translating {
            try JournalRestore.run(from: backup, to: file, replaces: replace) { bar.show($0) }
        }
        bar.end()
        if let kept { write("The file that was there is kept as '\(kept)'.") }
        write(
            "'\(file)' is what '\(backup)' was, with a new epoch for every room: clients take their "
                + "state anew.")
    }
}
