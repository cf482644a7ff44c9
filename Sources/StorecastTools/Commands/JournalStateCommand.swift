import ArgumentParser
import StorecastSync

/// `storecast journal state`
struct JournalStateCommand: PrintingCommand {
    static let configuration = CommandConfiguration(
        commandName: "state",
        abstract: "Print a room's state, of now or of any version.",
        discussion: """
            What happened is reduced again, from the nearest snapshot on; the room isn't touched.

              storecast journal state board.sqlite
              storecast journal state board.sqlite --at 12
              storecast journal state board.sqlite --offset 9000 --json > then.json
              storecast journal state board.sqlite --at 12 --select column --parameters todo
            """)

    @OptionGroup var room: JournalRoomOptions

    @Option(help: ArgumentHelp("The version; by default the newest.", valueName: "version"))
    var at: UInt64?

    @Option(help: ArgumentHelp("Behind the entry at this offset.", valueName: "offset"))
    var offset: UInt64?

    @Option(
        help: ArgumentHelp("Only this selection, as a client sees it.", valueName: "name"))
    var select: String?

    @Option(
        help: ArgumentHelp(
            "The selection's parameters: JSON, or a word, which is taken for a string.",
            valueName: "json"))
    var parameters: String?

    @Option(
        name: .customLong("as"),
        help: ArgumentHelp("Who sees the selection; by default nobody known.", valueName: "user"))
    var viewer: String?

    @Flag(help: "Print it on one line.")
    var json = false

    func validate() throws {
        if at != nil, offset != nil { throw ValidationError("Say --at or --offset, not both.") }
        if select == nil, parameters != nil || viewer != nil {
            throw ValidationError("--parameters and --as go with --select.")
        }
    }

    func run(writingTo write: (String) -> Void) throws {
        let room = try room.open()
        defer { room.close() }
        let place: RoomTraveller.Place =
            if let at { .version(at) } else if let offset { .offset(offset) } else { .newest }
        var traveller = try RoomTraveller(room, near: place)
        try traveller.go(to: place)
        let value =
            if let select {
                try traveller.value(
                    of: select, try parameters.map { try JSONText.parameter($0) },
                    viewer: Identity(viewer ?? ""))
            } else {
                try traveller.state
            }
        write(json ? "\(value)" : value.prettyText)
    }
}

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
