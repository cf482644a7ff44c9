import ArgumentParser
import StorecastSQLite
import StorecastSync

/// `storecast journal rooms`
struct JournalRoomsCommand: PrintingCommand {
    static let configuration = CommandConfiguration(
        commandName: "rooms", abstract: "List the rooms in a journal's file.",
        discussion: """
            For each room how many entries are kept and behind which offset, if not all are; how many \
            snapshots, and of which version the newest is; and when the last thing happened.

              storecast journal rooms board.sqlite
              storecast journal rooms board.sqlite --json
            """)

    @Argument(help: "The journal's file.", completion: .file())
    var file: String

    @Flag(help: "Print one line of JSON for every room.")
    var json = false

    @Flag(help: "Print times in UTC.")
    var utc = false

    func run(writingTo write: (String) -> Void) throws {
        let file = try JournalFile.opened(file)
        defer { file.close() }
        if !json { write(RoomSummary.header(inUTC: utc)) }
        for room in try file.rooms() {
            let summary = try RoomSummary(of: RecordedRoom(of: file, room))
            write(json ? "\(summary.json)" : summary.line(inUTC: utc))
        }
    }
}
