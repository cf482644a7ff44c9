import ArgumentParser
import StorecastSQLite

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
