import StorecastSQLite

/// Where a child's server keeps its room, and listens.
struct ServedJournal {
    /// Nil for memory.
    var file: String?
    var durability = SQLiteDurability.machine
    var takesSnapshots = true
    /// 0 for any free one.
    var port = 0

    var provider: JournalProvider {
        file.map { .sqlite($0, durability: durability) } ?? .memory
    }

    var limits: SyncLimits {
        var limits = SyncLimits()
        limits.setRates(.unlimited)
        limits.connectionsPerAddress = limits.connections
        if !takesSnapshots {
            limits.snapshots.entries = .max
            limits.snapshots.bytes = .max
        }
        return limits
    }

    /// For the child's command line.
    var arguments: [String] {
        [file ?? "", durability.rawValue, takesSnapshots ? "snapshots" : "", "\(port)"]
    }
}

extension ServedJournal {
    /// How many words it takes on the child's command line.
    static let words = 4

    /// From the child's command line.
    init(_ arguments: some Collection<String>) {
        let words = Array(arguments)
        guard words.count == Self.words, !words[0].isEmpty else { return }
        file = words[0]
        durability = SQLiteDurability(rawValue: words[1]) ?? .machine
        takesSnapshots = !words[2].isEmpty
        port = Int(words[3]) ?? 0
    }
}
