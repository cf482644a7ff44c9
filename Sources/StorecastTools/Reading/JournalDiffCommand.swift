import ArgumentParser
import StorecastSync

/// `storecast journal diff`
struct JournalDiffCommand: PrintingCommand {
    static let configuration = CommandConfiguration(
        commandName: "diff",
        abstract: "Print what changed in a room from one version to another.",
        discussion: """
            One line for every change: + for what is new, - for what is gone, ~ for what has another \
            value, > for what has moved. The second version may be the earlier one.

              storecast journal diff board.sqlite 5 12
              storecast journal diff board.sqlite 5 12 --json > patch.json

            With --json it is a JSON Patch (RFC 6902).
            """)

    @OptionGroup var room: JournalRoomOptions

    @Argument(help: "The version to begin with.")
    var from: UInt64

    @Argument(help: "The version to compare it with.")
    var to: UInt64

    @Flag(help: "Print a JSON Patch.")
    var json = false

    func run(writingTo write: (String) -> Void) throws {
        let room = try room.open()
        defer { room.close() }
        var traveller = try RoomTraveller(room, near: .version(min(from, to)))
        try traveller.go(to: .version(min(from, to)))
        let earlier = try traveller.state
        try traveller.go(to: .version(max(from, to)))
        let later = try traveller.state
        let (old, new) = from <= to ? (earlier, later) : (later, earlier)
        let patch = JSONPatch.diff(from: old, to: new)
        if json { return write("\(try patch.json)") }
        for line in try ChangeText.lines(of: patch, from: old) { write(line) }
    }
}
