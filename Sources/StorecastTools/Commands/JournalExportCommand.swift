import ArgumentParser
import StorecastSQLite
import StorecastRoom

/// `storecast journal export`
struct JournalExportCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "export",
        abstract: "Write a room's journal as text, one line of JSON for every entry.",
        discussion: """
            A header, the snapshot with which the history begins if there is one, and the entries \
            behind it. Docs/Recovery.md says what stands in them; `storecast journal import`, \
            RoomReplay and the Recorder read it.

              storecast journal export board.sqlite > board.jsonl
              storecast journal export board.sqlite --from 5000 --output tail.jsonl

            The ids of clients in it are secrets as long as the clients are in use.
            """)

    @OptionGroup var room: JournalRoomOptions

    @Option(
        help: ArgumentHelp(
            "Begin at the newest snapshot that isn't above this version.", valueName: "version"))
    var from: UInt64?

    @Option(
        help: ArgumentHelp(
            "Begin at the newest snapshot that isn't behind this offset.", valueName: "offset"))
    var after: UInt64?

    @Flag(help: "Write all later snapshots too.")
    var snapshots = false

    @Option(
        name: .shortAndLong,
        help: ArgumentHelp("Write to this new file.", valueName: "file"), completion: .file())
    var output: String?

    func validate() throws {
        if after != nil, from != nil {
            throw ValidationError("Say --after or --from: where it begins is said once.")
        }
    }

    func run() throws {
        let room = try room.open()
        defer { room.close() }
        let output = try TextOutput(to: output)
        do {
            var text = try JournalText(of: room, from: place, withSnapshots: snapshots)
            while let line = try text.next() { try output.write(line) }
            try output.close()
        } catch {
            output.discard()
            throw error
        }
    }

    private var place: RoomTraveller.Place? {
        from.map { .version($0) } ?? after.map { .offset($0) }
    }
}
