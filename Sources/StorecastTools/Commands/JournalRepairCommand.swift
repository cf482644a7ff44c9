import ArgumentParser
import StorecastSQLite

/// `storecast journal repair`
struct JournalRepairCommand: PrintingCommand {
    static let configuration = CommandConfiguration(
        commandName: "repair",
        abstract: "Make a damaged journal's file usable again, and say what is lost.",
        discussion: """
            Of each room the newest good state is kept: everything up to the first damage, or the \
            newest good snapshot behind that and the entries that follow it. The damaged file is \
            kept beside it, as board.sqlite-damaged-1. Stop the server first.

              storecast journal repair board.sqlite

            Rooms that lost something get a new epoch, so that clients take their state from the \
            server anew. If there is a recent backup, `storecast journal restore` may lose less.
            """)

    @Argument(help: "The journal's file.", completion: .file())
    var file: String

    func run(writingTo write: (String) -> Void) throws {
        let repair = try CommandFailure.translating { try JournalRepair.run(on: file) }
        for line in repair.map({ RepairReport($0, of: file).lines }) ?? ["'\(file)' is sound."] {
            write(line)
        }
    }
}
