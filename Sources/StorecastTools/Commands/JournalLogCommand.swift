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

/// Which entries of a room are shown.
struct LogOptions: ParsableArguments {
    @Option(help: ArgumentHelp("Begin behind this offset.", valueName: "offset"))
    var after: UInt64?

    @Option(
        help: ArgumentHelp("Begin with the entry that led to this version.", valueName: "version"))
    var from: UInt64?

    @Option(help: ArgumentHelp("End before what came after this version.", valueName: "version"))
    var to: UInt64?

    @Option(
        name: .customLong("type"),
        help: ArgumentHelp(
            "Only entries with an action of this type; may be said more than once.",
            valueName: "name"))
    var types: [String] = []

    @Option(help: ArgumentHelp("Only what this user sent.", valueName: "user"))
    var sender: String?

    @Option(help: ArgumentHelp("Only what this client sent.", valueName: "id"))
    var client: String?

    @Option(help: ArgumentHelp("At most so many entries.", valueName: "count"))
    var limit: Int?

    func validate() throws {
        if after != nil, from != nil {
            throw ValidationError("Say --after or --from: where it begins is said once.")
        }
        if let from, let to, from > to {
            throw ValidationError("Version \(from) comes after \(to): there is nothing between.")
        }
        if let limit, limit < 0 { throw ValidationError("A limit isn't negative.") }
    }

    /// Whether versions have to be known.
    var needsVersions: Bool { from != nil || to != nil }

    func isWanted(_ travelled: TravelledEntry) -> Bool {
        if let from, (travelled.replayed?.version ?? 0) < from { return false }
        guard let record = travelled.entry.record else {
            return types.isEmpty && sender == nil && client == nil
        }
        let dispatched = record.actions.map(\.type) + [record.refused?.type].compactMap(\.self)
        return (types.isEmpty || dispatched.contains { isWanted(type: $0) })
            && (sender ?? record.sender.id).isSameText(as: record.sender.id)
            && (client ?? record.client).isSameText(as: record.client)
    }

    private func isWanted(type: String) -> Bool { types.contains { $0.isSameText(as: type) } }

    /// Whether the entry, and so all after it, came too late.
    func isTooLate(_ travelled: TravelledEntry) -> Bool {
        guard let to, let version = travelled.replayed?.version else { return false }
        return version > to
    }
}

/// Prints the entries that a command asks for, and then those that have been added since.
struct LogPrinter {
    private let command: JournalLogCommand
    private var traveller: RoomTraveller
    private var printed = 0
    private var hasWarned = false
    /// Whether no later entry is wanted.
    private(set) var isOver = false

    private var options: LogOptions { command.options }

    init(of room: RecordedRoom, _ command: JournalLogCommand) throws {
        self.command = command
        let place = try Self.start(in: room, command)
        traveller = try RoomTraveller(room, near: place)
        try traveller.go(to: place)
    }

    private static func start(
        in room: RecordedRoom, _ command: JournalLogCommand
    ) throws -> RoomTraveller.Place {
        if let from = command.options.from { return .version(max(from, 1) - 1) }
        guard let last = command.last else { return .offset(command.options.after ?? 0) }
        return .offset(try room.file.offset(beforeLast: last, of: room.name))
    }

    /// Prints the entries that haven't been printed yet.
    mutating func printNew(to write: (String) -> Void) throws {
        while !isOver, printed < options.limit ?? .max, let next = try traveller.next() {
            if options.needsVersions, let problem = traveller.problem { throw problem }
            isOver = options.isTooLate(next)
            guard !isOver, options.isWanted(next) else { continue }
            if next.replayed == nil { warn() }
            write(command.json ? "\(try next.json)" : EntryText(inUTC: command.utc).text(next))
            printed += 1
        }
        isOver = isOver || printed >= options.limit ?? .max
    }

    private mutating func warn() {
        guard !hasWarned, let problem = traveller.problem else { return }
        hasWarned = true
        StandardError.write("Versions and outcomes aren't known. \(problem)")
    }
}
