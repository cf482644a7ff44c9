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

            With --serve any client can look at the room meanwhile, but not change it:

              storecast journal replay board.sqlite --speed 10 --serve
              storecast-board ws://127.0.0.1:9090/ --as ada
            """)

    @OptionGroup var room: JournalRoomOptions
    @OptionGroup var part: ReplayPart

    #if os(Linux)
        @Flag(help: "Serve the room too; begins when the first client has come.")
        var serve = false

        @Option(help: "The port to serve it on; 0 for any free one.")
        var port = 9090

        func validate() throws {
            guard (0...65_535).contains(port) else {
                throw ValidationError("A port is a number from 0 to 65535; \(port) isn't.")
            }
        }
    #endif

    func run() async throws {
        let room = try room.open()
        defer { room.close() }
        #if os(Linux)
            if serve { return try await play(room, on: port) }
        #endif
        try await part.play(room, writingTo: StandardOutput.write)
    }
}
