import StorecastRoom
import StorecastSync
import StorecastWire

/// What a room's dispatches cost, by the type of their first action, since somebody looks.
struct ActionMeter {
    struct Cost: Encodable, Equatable {
        var type: String
        var count = 0
        var rejected = 0
        /// Of payloads that came from clients.
        var bytes = 0
        /// To be checked, reduced and settled, on average.
        var microseconds = 0.0
        /// Of the time that all dispatches took, from 0 to 1.
        var share = 0.0
    }

    /// Clients may make up any number of names.
    static let mostTypes = 200
    static let others = "(others)"

    private struct Sum {
        var count = 0
        var rejected = 0
        var bytes = 0
        var time = Duration.zero
    }

    private var sums: [ExactString: Sum] = [:]

    mutating func note(
        _ time: Duration, _ entry: JournalEntry, bytes: Int, isRejected: Bool
    ) {
        let name = entry.actions.first.map { type(of: $0).wireName } ?? entry.refused?.type ?? ""
        var key = ExactString(name.excerpt())
        if sums[key] == nil, sums.count >= Self.mostTypes { key = ExactString(Self.others) }
        sums[key, default: Sum()].count += 1
        sums[key, default: Sum()].bytes += bytes
        sums[key, default: Sum()].time += time
        if isRejected { sums[key, default: Sum()].rejected += 1 }
    }

    /// In the order of the names.
    var costs: [Cost] {
        let total = sums.values.reduce(Duration.zero) { $0 + $1.time }
        return sums.sorted { $0.key < $1.key }.map { name, sum in
            Cost(
                type: name.string, count: sum.count, rejected: sum.rejected, bytes: sum.bytes,
                microseconds: (sum.time / max(sum.count, 1)).microseconds,
                share: total == .zero ? 0 : ((sum.time / total) * 1000).rounded() / 1000)
        }
    }
}

/// Which version of a room each client knew when it last dispatched something, and how old that was.
struct ClientClocks {
    struct Reading: Equatable {
        /// The version that the client had seen.
        var version: UInt64
        /// For how long there had been a newer one; zero if there was none, nil if that isn't known.
        var age: Duration?
    }

    static let mostClients = 1000
    private static let keptVersions = 512

    private var readings: [ExactString: Reading] = [:]
    /// When versions came to be, the newest at the end.
    private var versions: [(version: UInt64, at: Duration)] = []

    /// A dispatch is settled.
    ///
    /// - Parameter version: the room's behind it.
    mutating func note(
        _ entry: JournalEntry, isRejected: Bool, at version: UInt64, _ now: Duration
    ) {
        let before = isRejected ? version : version - min(version, 1)
        // Those that have left make room.
        if readings.count >= Self.mostClients { readings = [:] }
        var age: Duration? = .zero
        if entry.base < before {
            age = versions.first { $0.version > entry.base }.flatMap { next in
                next.version == entry.base + 1 ? now - next.at : nil
            }
        }
        readings[ExactString(entry.client)] = Reading(version: entry.base, age: age)
        guard !isRejected else { return }
        versions.append((version, now))
        if versions.count >= 2 * Self.keptVersions { versions.removeFirst(Self.keptVersions) }
    }

    func reading(of client: String) -> Reading? { readings[ExactString(client)] }
}
