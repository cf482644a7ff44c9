/// Finds out when the last mirror had what an action changed: brings the acks that one thread heard
/// together with the versions that the mirrors of others reached.
struct MirrorDelays {
    /// From when an action was due until the last mirror had a version at or above its ack's.
    private(set) var delays = Histogram()
    /// The actions that not every mirror has reached yet.
    private var waiting: [(due: Int64, version: UInt64)] = []
    /// What the mirrors of each thread that has some reached, in order.
    private var floors: [[(version: UInt64, at: Int64)]]

    /// So many are kept of both; of more, the oldest are forgotten.
    static let bound = 1 << 20

    /// - Parameter threads: how many threads have mirrors.
    init(threads: Int) {
        floors = Array(repeating: [], count: threads)
    }

    /// How many actions not every mirror has reached.
    var unseen: Int { waiting.count + forgotten }
    private var forgotten = 0

    mutating func add(floors news: [(version: UInt64, at: Int64)], of thread: Int) {
        floors[thread] += news
        let excess = floors[thread].count - Self.bound
        if excess > 0 { floors[thread].removeFirst(excess) }
    }

    /// Adds acks, and measures those that every mirror has reached by now.
    mutating func add(acked: [(due: Int64, version: UInt64)]) {
        waiting += acked
        guard let seen = floors.map({ $0.last?.version ?? 0 }).min() else { return }
        waiting.removeAll { action in
            guard action.version <= seen else { return false }
            let last = floors.map { Self.time(of: action.version, in: $0) }.max() ?? 0
            delays.record(last - action.due)
            return true
        }
        let excess = waiting.count - Self.bound
        guard excess > 0 else { return }
        waiting.removeFirst(excess)
        forgotten += excess
    }

    /// Begins a new step: what is still waited for doesn't belong to it.
    mutating func reset() {
        delays = Histogram()
        waiting = []
        forgotten = 0
    }

    /// When a version was reached, by bisection.
    private static func time(
        of version: UInt64, in floors: [(version: UInt64, at: Int64)]
    ) -> Int64 {
        var low = 0
        var high = floors.count - 1
        while low < high {
            let middle = (low + high) / 2
            if floors[middle].version >= version { high = middle } else { low = middle + 1 }
        }
        return floors[low].at
    }
}
