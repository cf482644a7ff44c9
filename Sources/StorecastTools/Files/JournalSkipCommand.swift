import ArgumentParser
import StorecastSQLite
import StorecastRoom

/// `storecast journal skip`
struct JournalSkipCommand: PrintingCommand {
    static let configuration = CommandConfiguration(
        commandName: "skip",
        abstract: "Have a room go on without an entry that its reducer can't take.",
        discussion: """
            The entry stays where it is, and counts as rejected (internal) from now on: for servers, \
            clients that still ask for its outcome, and all of these commands. This can't be taken \
            back. Stop the server first.

              storecast journal skip board.sqlite --offset 17

            An entry whose effect is in a snapshot was reduced, and can't be skipped.
            """)

    @OptionGroup var place: JournalRoomOptions

    @Option(help: ArgumentHelp("The entry's offset.", valueName: "offset"))
    var offset: UInt64

    func validate() throws {
        if offset == 0 { throw ValidationError("Offsets begin at 1.") }
    }

    func run(writingTo write: (String) -> Void) throws {
        let recorded = try place.open()
        let room = recorded.name
        recorded.close()
        let types = try CommandFailure.translating {
            try JournalSkip.run(on: place.file, room: room, offset: offset)
        }
        write(
            "Room '\(room)' goes on without the entry at offset \(offset) (\(types.onOneLine)).")
    }
}
