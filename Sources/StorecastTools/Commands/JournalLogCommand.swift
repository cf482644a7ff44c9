import ArgumentParser
import StorecastSQLite
import StorecastSync

/// `storecast journal log`
struct JournalLogCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "log",
        abstract: "List what happened in a room, one entry a line.",
        discussion: """
            Each line has the version that the entry led to, or why to none; its offset in the file, \
            its time, who sent it, and its actions.

              storecast journal log board.sqlite --last 20
              storecast journal log board.sqlite --from 100 --to 120
              storecast journal log board.sqlite --type MoveCard --sender ada
              storecast journal log board.sqlite --follow

            With --json every line is what `storecast journal export` writes for the entry, with the \
            members "version" and "outcome" ("reduced", "rejected" or "duplicate").
            """)

    @OptionGroup var room: JournalRoomOptions
    @OptionGroup var options: LogOptions

    @Option(help: ArgumentHelp("Look at so many of the newest entries only.", valueName: "count"))
    var last: Int?

    @Flag(help: "Go on with what a server adds, until stopped.")
    var follow = false

    @Flag(help: "Print one line of JSON for every entry.")
    var json = false

    @Flag(help: "Print times in UTC.")
    var utc = false

    func validate() throws {
        guard let last else { return }
        if last < 1 { throw ValidationError("--last takes a number from 1.") }
        if options.after != nil || options.from != nil {
            throw ValidationError("Say --last or where to begin, not both.")
        }
    }

    func run() async throws {
        let room = try room.open()
        defer { room.close() }
        if !json { StandardOutput.write(EntryText(inUTC: utc).header) }
        var log = try LogPrinter(of: room, self)
        try log.printNew(to: StandardOutput.write)
        while follow, !log.isOver {
            try await Task.sleep(for: .milliseconds(200))
            try log.printNew(to: StandardOutput.write)
        }
    }
}
