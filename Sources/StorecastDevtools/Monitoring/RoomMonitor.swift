import StorecastPlatform
import StorecastRoom
import StorecastSync
import StorecastWire

/// Measures a room and follows its dispatches while somebody looks into it.
final class RoomMonitor: RoomObserver {
    /// How many different filters of one room's log are followed.
    private static let maxLogs = 16

    private let clock = ContinuousClock()
    private var appendStart: ContinuousClock.Instant?
    private var commitStart: ContinuousClock.Instant?
    private var append = Latencies()
    private var commit = Latencies()
    private lazy var nextState = clock.now
    private var lastNumber: UInt64 = 0
    private let start = ContinuousClock.now
    /// What dispatches have cost since somebody looks.
    private(set) var actions = ActionMeter()
    /// What clients knew when they last dispatched something.
    private(set) var clocks = ClientClocks()
    /// By their filters.
    private var logs: [LogParameters: DispatchLog] = [:]

    func appending() { appendStart = clock.now }

    func appended() {
        let now = clock.now
        if let appendStart { append.note(now - appendStart) }
        commitStart = now
    }

    func committed() {
        if let commitStart { commit.note(clock.now - commitStart) }
    }

    func took(_ time: Duration, _ entry: JournalEntry, bytes: Int, isRejected: Bool) {
        actions.note(time, entry, bytes: bytes, isRejected: isRejected)
    }

    func settled(_ entry: JournalEntry, _ rejection: Rejection?, at version: UInt64) {
        lastNumber += 1
        clocks.note(entry, isRejected: rejection != nil, at: version, clock.now - start)
        for filter in logs.keys {
            logs[filter]?.append(entry, rejection, at: version, number: lastNumber)
        }
    }

    /// How long the journal took for batches, and the room to reduce them, since the last call.
    func takeLatencies() -> (append: Latencies.Percentiles?, commit: Latencies.Percentiles?) {
        (append.take(), commit.take())
    }

    /// Runs `encode`, which may take long, unless that would take more than a thirtieth of the
    /// loop's time; nil if it isn't time yet.
    func encodeState(_ encode: () -> JSON?) -> JSON? {
        let start = clock.now
        guard start >= nextState else { return nil }
        defer { nextState = clock.now + (clock.now - start) * 30 }
        return encode()
    }

    /// Follows these logs and forgets the others.
    func follow(_ filters: [LogParameters]) {
        let kept = filters.prefix(Self.maxLogs)
        logs = logs.filter { kept.contains($0.key) }
        for filter in kept where logs[filter] == nil {
            logs[filter] = DispatchLog(type: filter.type?.string)
        }
    }

    func log(_ filter: LogParameters) -> JSON? { logs[filter]?.json() }

    /// A dispatch of one of the logs, with its whole payloads.
    func entry(_ number: UInt64) -> JSON? {
        for log in logs.values {
            if let entry = log.entry(number) { return entry }
        }
        return nil
    }
}

/// A histogram of durations: counts by powers of the square root of two, from a microsecond to
/// minutes. It takes 64 numbers; a percentile is right to within a fifth.
struct Latencies {
    /// The percentiles 50 and 99, in microseconds.
    struct Percentiles: Codable, Equatable, Sendable {
        var half: Double
        var most: Double
    }

    private var counts = [Int](repeating: 0, count: 64)
    private var total = 0

    mutating func note(_ duration: Duration) {
        let time = max(duration / .microseconds(1), 1)
        counts[min(Int(2 * log2(time)), counts.count - 1)] += 1
        total += 1
    }

    /// The percentiles 50 and 99 of what was noted since the last call; nil if that was nothing.
    mutating func take() -> Percentiles? {
        guard total > 0 else { return nil }
        defer { self = Latencies() }
        return Percentiles(half: percentile(0.5), most: percentile(0.99))
    }

    private func percentile(_ share: Double) -> Double {
        var rest = Int(Double(total) * share)
        for (place, count) in counts.enumerated() {
            rest -= count
            // The middle of what is counted there.
            if rest < 0 { return exp2(Double(place) / 2 + 0.25) }
        }
        return exp2(Double(counts.count) / 2)
    }
}
