import ArgumentParser
import StorecastSQLite
import StorecastSync

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

/// Which part of a room is played, and how.
struct ReplayPart: ParsableArguments, Sendable {
    @Option(help: ArgumentHelp("How many times as fast: a number, or max.", valueName: "factor"))
    var speed = ReplaySpeed(1)

    @Option(
        help: ArgumentHelp("Wait no longer than this between two entries.", valueName: "seconds"))
    var pause: Double?

    @Option(
        help: ArgumentHelp("Begin with the entry that led to this version.", valueName: "version"))
    var from: UInt64?

    @Option(
        help: ArgumentHelp("End with the entry that led to this version.", valueName: "version"))
    var to: UInt64?

    @Flag(help: "Print states instead of entries.")
    var states = false

    @Flag(help: "Print one line of JSON at a time.")
    var json = false

    @Flag(help: "Print times in UTC.")
    var utc = false

    func validate() throws {
        if let from, let to, from > to {
            throw ValidationError("Version \(from) comes after \(to): there is nothing between.")
        }
        if let pause, !(pause >= 0) { throw ValidationError("A pause isn't negative.") }
    }

    /// Prints each entry, or state, when it is due.
    func play(_ room: RecordedRoom, writingTo write: (String) -> Void) async throws {
        var playback = try RoomPlayback(
            of: room, from: from, to: to, pace: ReplayPace(speed, longestPause: pause))
        if !json, !states { write(EntryText(inUTC: utc).header) }
        let began = ContinuousClock.now
        while let (entry, due) = try playback.next() {
            try await Task.sleep(until: began + due)
            if let line = try line(entry, playback) { write(line) }
        }
    }

    private func line(_ entry: TravelledEntry, _ playback: RoomPlayback) throws -> String? {
        guard states else {
            return json ? "\(try entry.json)" : EntryText(inUTC: utc).text(entry)
        }
        guard let replayed = entry.replayed, replayed.outcome == .reduced else { return nil }
        let state = try playback.state
        guard json else { return state.prettyText }
        return "\(["v": .uint(replayed.version), "value": state] as JSON)"
    }
}

/// The speed of a replay, as a multiple of the original.
struct ReplaySpeed: ExpressibleByArgument, Equatable {
    /// Infinite for no waiting.
    var factor: Double

    /// Reads a number above 0, or `max`.
    init?(argument: String) {
        if argument == "max" {
            factor = .infinity
        } else {
            guard let factor = Double(argument), factor > 0 else { return nil }
            self.factor = factor
        }
    }

    init(_ factor: Double) {
        self.factor = factor
    }

    var defaultValueDescription: String { "\(factor)" }
}

/// Goes through a part of a recorded room at the pace at which it happened.
struct RoomPlayback {
    private var traveller: RoomTraveller
    private var pace: ReplayPace
    private let first: UInt64
    private let last: UInt64

    /// Begins before the entry that led to version `first`; nil is the first that is kept.
    init(of room: RecordedRoom, from first: UInt64?, to last: UInt64?, pace: ReplayPace) throws {
        let place =
            first.map { RoomTraveller.Place.version(max($0, 1) - 1) }
            ?? .offset(room.room.floor)
        traveller = try RoomTraveller(room, near: place)
        try traveller.go(to: place)
        if let problem = traveller.problem { throw problem }
        self.pace = pace
        self.first = first ?? 0
        self.last = last ?? .max
    }

    /// The current state as JSON.
    var state: JSON { get throws { try traveller.state } }

    /// The next entry, and when it is due; nil at the end.
    mutating func next() throws -> (entry: TravelledEntry, due: Duration)? {
        while let next = try traveller.next() {
            if let problem = traveller.problem { throw problem }
            guard let version = next.replayed?.version, version <= last,
                let time = next.entry.record?.time
            else { return nil }
            if version >= first { return (next, pace.due(time)) }
        }
        return nil
    }
}

/// When entries are due that are played at the pace at which they happened.
struct ReplayPace {
    /// Longer than any replay; limits the harm of implausible times.
    private static let longest: Double = 1e6

    private let speed: ReplaySpeed
    private let longestPause: Double
    private var last: Timestamp?
    private var due: Duration = .zero

    /// - Parameter longestPause: the most seconds between two entries; nil for no limit.
    init(_ speed: ReplaySpeed, longestPause: Double?) {
        self.speed = speed
        self.longestPause = min(longestPause ?? Self.longest, Self.longest)
    }

    /// When the next entry is due, counted from the first. One that is older than the one before
    /// it, because a clock was set back, is due at once.
    mutating func due(_ time: Timestamp) -> Duration {
        let pause = last.map { (time.secondsSince1970 - $0.secondsSince1970) / speed.factor } ?? 0
        last = time
        if pause > 0 { due += .seconds(min(pause, longestPause)) }
        return due
    }
}
