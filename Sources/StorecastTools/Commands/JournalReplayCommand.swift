import ArgumentParser
import StorecastSQLite

/// `storecast journal replay`
struct JournalReplayCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "replay",
        abstract: "Play what happened in a room again, as fast as it happened or faster.",
        discussion: """
            Prints each entry when it is due, or with --states the state behind each.

              storecast journal replay board.sqlite --speed 60 --pause 2
              storecast journal replay board.sqlite --from 100 --to 120 --states
              storecast journal replay board.sqlite --speed max --states --json

            With --states and --json every line is {"v":VERSION,"value":STATE}.
            """)

    @OptionGroup var room: JournalRoomOptions
    @OptionGroup var part: ReplayPart

    func run() async throws {
        let room = try room.open()
        defer { room.close() }
        try await part.play(room, writingTo: StandardOutput.write)
    }
}
