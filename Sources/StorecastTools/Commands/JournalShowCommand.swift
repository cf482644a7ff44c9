import ArgumentParser
import StorecastSQLite
import StorecastSync

/// `storecast journal show`
struct JournalShowCommand: PrintingCommand {
    static let configuration = CommandConfiguration(
        commandName: "show",
        abstract: "Print one entry in full, and what it changed.",
        discussion: """
            The entry that led to a version, or the one at an offset, as rejected ones led to none.

              storecast journal show board.sqlite 12
              storecast journal show board.sqlite --offset 17 --json

            With --json it is what `storecast journal log --json` prints, with the member "patch" (RFC \
            6902) from the state before to the one behind.
            """)

    @OptionGroup var room: JournalRoomOptions

    @Argument(help: "The version to which the entry led.")
    var version: UInt64?

    @Option(help: ArgumentHelp("The entry's offset.", valueName: "offset"))
    var offset: UInt64?

    @Flag(help: "Print one line of JSON.")
    var json = false

    @Flag(help: "Print the time in UTC.")
    var utc = false

    func validate() throws {
        guard (version == nil) != (offset == nil) else {
            throw ValidationError("Say a version or --offset.")
        }
        if version == 0 {
            throw ValidationError(
                "No entry led to version 0, with which a room begins; `storecast journal state` has "
                    + "its state.")
        }
        if offset == 0 { throw ValidationError("Offsets begin at 1.") }
    }

    func run(writingTo write: (String) -> Void) throws {
        let room = try room.open()
        defer { room.close() }
        let shown =
            if let version {
                try ShownEntry(of: room, leadingTo: version)
            } else {
                try ShownEntry(of: room, at: offset ?? 0)
            }
        if json { return write("\(try shown.json)") }
        for line in try shown.lines(inUTC: utc) { write(line) }
    }
}
