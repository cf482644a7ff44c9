import StorecastRoom
import StorecastWire

/// What is noted of a room while somebody looks into it.
final class RoomWatch: RoomObserver {
    /// How many different filters of one room's log are followed.
    private static let mostLogs = 16

    private let clock = ContinuousClock()
    private var appendBegan: ContinuousClock.Instant?
    private var commitBegan: ContinuousClock.Instant?
    private var append = Latencies()
    private var commit = Latencies()
    private lazy var nextState = clock.now
    private var lastNumber: UInt64 = 0
    /// By their filters.
    private var logs: [LogPlace: DispatchLog] = [:]

    func appending() { appendBegan = clock.now }

    func appended() {
        let now = clock.now
        if let appendBegan { append.note(now - appendBegan) }
        commitBegan = now
    }

    func committed() {
        if let commitBegan { commit.note(clock.now - commitBegan) }
    }

    func settled(_ entry: JournalEntry, _ rejection: Rejection?, at version: UInt64) {
        lastNumber += 1
        for place in logs.keys {
            logs[place]?.append(entry, rejection, at: version, number: lastNumber)
        }
    }

    /// How long the journal took for batches, and the room to reduce them, since the last call.
    func takeLatencies() -> (append: Latencies.Percentiles?, commit: Latencies.Percentiles?) {
        (append.take(), commit.take())
    }

    /// Runs `encode`, which may take long, as often as it takes no more than a thirtieth of the
    /// loop's time; nil if it isn't time yet.
    func encodeState(_ encode: () -> JSON?) -> JSON? {
        let start = clock.now
        guard start >= nextState else { return nil }
        defer { nextState = clock.now + (clock.now - start) * 30 }
        return encode()
    }

    /// Follows these logs and forgets the others.
    func follow(_ places: [LogPlace]) {
        let kept = places.prefix(Self.mostLogs)
        logs = logs.filter { kept.contains($0.key) }
        for place in kept where logs[place] == nil {
            logs[place] = DispatchLog(type: place.type?.string)
        }
    }

    func log(_ place: LogPlace) -> JSON? { logs[place]?.json() }

    /// A dispatch of one of the logs, whole.
    func entry(_ number: UInt64) -> JSON? {
        for log in logs.values {
            if let entry = log.entry(number) { return entry }
        }
        return nil
    }
}
