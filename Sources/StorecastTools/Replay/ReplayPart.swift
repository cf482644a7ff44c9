import ArgumentParser
import StorecastRoom

/// What of a room is played, and how.
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
