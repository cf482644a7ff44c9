import MeasureSupport

/// An owner, its edges, and crowds at these.
final class EdgeStage {
    private(set) var owner: ChildProcess
    let edges: [ChildProcess]
    private(set) var crowds: [Crowd] = []

    /// - Parameters:
    ///   - role: the owner's.
    ///   - edgeRole: that of each edge.
    init(
        edges count: Int, owner role: ChildRole = .owner, edgeRole: ChildRole = .edge,
        _ journal: ServedJournal = ServedJournal()
    ) throws {
        let owner = try ChildProcess(role, journal)
        self.owner = owner
        edges = try (0..<count).map { _ in
            try ChildProcess(edgeRole, ServedJournal(), ["\(owner.port)"])
        }
    }

    /// So many clients more come to some of the edges, to all if it isn't said to which.
    func admit(_ count: Int, to places: Range<Int>? = nil, named: Bool = false) throws {
        for edge in edges[places ?? edges.indices] {
            crowds.append(try Crowd(count, of: edge, named: named))
        }
    }

    /// Kills the owner, and starts it again on its journal.
    func restartOwner(_ journal: ServedJournal) throws {
        var journal = journal
        journal.port = owner.port
        owner.end()
        owner = try ChildProcess(.owner, journal)
    }
}

/// The processor time that processes have used, in seconds, and their memory, in bytes.
struct Use {
    var time: Double
    var bytes: Double

    init(of processes: [ChildProcess]) {
        time = processes.reduce(0) { $0 + $1.processorTime }
        bytes = processes.reduce(0) { $0 + Double($1.residentBytes) }
    }

    init(of process: ChildProcess) { self.init(of: [process]) }

    static func - (later: Use, earlier: Use) -> Use {
        var use = later
        use.time -= earlier.time
        use.bytes -= earlier.bytes
        return use
    }
}
