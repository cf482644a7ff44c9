import ArgumentParser
import StorecastSQLite

/// `storecast journal fork`
struct JournalForkCommand: PrintingCommand {
    static let configuration = CommandConfiguration(
        commandName: "fork",
        abstract: "Copy a room's history up to a version, as a new room.",
        discussion: """
            To try something else from there on, or to look for what went wrong. The room that is \
            copied stays as it is, and a server may be using it. The copy gets an epoch of its own.

              storecast journal fork board.sqlite --at 120 --to then.sqlite
              storecast journal fork rooms.sqlite --room /a --at 12 --to b.sqlite --as /b

            A server that uses the file in which the copy is to be has to be stopped first.
            """)

    @OptionGroup var room: JournalRoomOptions

    @Option(help: ArgumentHelp("The version to go on from, 1 or more.", valueName: "version"))
    var at: UInt64

    @Option(
        help: ArgumentHelp("The copy's file, made if there is none.", valueName: "file"),
        completion: .file())
    var to: String

    @Option(
        name: .customLong("as"),
        help: ArgumentHelp(
            "What the copy is called; by default as the room is.", valueName: "path"))
    var name: String?

    func validate() throws {
        guard at > 0 else { throw ValidationError("A version to go on from is 1 or more.") }
    }

    func run(writingTo write: (String) -> Void) throws {
        let source = try room.open()
        defer { source.close() }
        var traveller = try RoomTraveller(source, near: .version(at))
        try traveller.go(to: .version(at))
        let end = try traveller.offset
        let copy = try CommandFailure.translating {
            try JournalAddition.run(on: to) { addition in
                var copy = JournalTextImport(to: addition, as: name)
                var text = try JournalText(of: source, from: nil, withSnapshots: true, through: end)
                while let line = try text.nextLine() { try copy.take(line) }
                return copy
            }
        }
        write(
            "'\(to)' has room '\(copy.room)' now, which is room '\(source.name)' at version \(at), "
                + "with \(copy.entries.counting("entry", "entries")).")
    }
}
