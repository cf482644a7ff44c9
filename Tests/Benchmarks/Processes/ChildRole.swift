import Glibc
import Logging
import MeasureSupport
import StorecastServer

/// What this program does as a child: it says a port, and serves until its input ends.
enum ChildRole: String {
    /// A ``SyncServer`` with one room.
    case server
    /// The same with two event loops, to each of which the kernel gives about half of the
    /// connections; the room lives on one.
    case twoLoops
    /// One that opens its room before it says its port; then it says how many nanoseconds
    /// that took since it began to open the journal, and the room's version.
    case recovery
    /// A ``SyncServer`` with a JSON room.
    case document
    /// A ``SyncServer`` with a room of a million rows.
    case chores
    /// A ``SyncServer`` that lets edges in.
    case owner
    /// The same, whose room's log is told who comes and goes.
    case attendedOwner
    /// An edge of the server at a port.
    case edge
    /// The same, which takes a client's token for its name.
    case namingEdge
    /// Clients of the server at a port: see ``Crowd``.
    case crowd
    /// The floor that fan-out is compared with: a loop of `send` over plain sockets.
    case sender

    static func run(_ arguments: ArraySlice<String>) async throws {
        DescriptorLimit.raise()
        let name = arguments.first ?? ""
        let journal = ServedJournal(arguments.dropFirst().prefix(ServedJournal.words))
        let words = arguments.dropFirst(1 + ServedJournal.words)
        switch ChildRole(rawValue: name) {
        case .server: try await serve(Desk.room, journal, opensRoom: false)
        case .twoLoops: try await serve(Desk.room, journal, opensRoom: false, loops: 2)
        case .recovery: try await serve(Desk.room, journal, opensRoom: true)
        case .document:
            try await serve(JSONRoom.definition(initial: [:]), journal, opensRoom: false)
        case .chores: try await serve(RowCost.room, journal, opensRoom: false)
        case .owner: try await serve(Desk.room, journal, opensRoom: false, edgeKey: edgeKey)
        case .attendedOwner:
            try await serve(Desk.room.lifecycle(), journal, opensRoom: false, edgeKey: edgeKey)
        case .edge: try await serve(Desk.room, journal, opensRoom: false, upstream: upstream(words))
        case .namingEdge:
            try await serve(
                Desk.room, journal, opensRoom: false, upstream: upstream(words),
                authentication: .custom { Identity($0.token ?? "nobody") })
        case .crowd: try await Crowd.follow(words)
        case .sender: try PlainSender.run()
        case nil: throw Failure("There is no role '\(name)'.")
        }
    }

    /// What the owner and its edges know one another by: nobody else is on this machine's address.
    private static var edgeKey: EdgeKey {
        get throws { try EdgeKey(text: "of-the-benchmarks-only") }
    }

    private static func upstream(_ words: ArraySlice<String>) throws -> Upstream {
        try Upstream("ws://127.0.0.1:\(words.first ?? "")", key: try edgeKey)
    }

    private static func serve(
        _ room: any RoomDefinitionProtocol, _ journal: ServedJournal, opensRoom: Bool,
        loops: Int = 1, edgeKey: EdgeKey? = nil, upstream: Upstream? = nil,
        authentication: Authentication = .anonymous
    ) async throws {
        var logger = Logger(label: "benchmark")
        logger.logLevel = .error
        let server = SyncServer(
            port: journal.port, journal: journal.provider, loops: loops, limits: journal.limits,
            logger: logger, authentication: authentication, edgeKey: edgeKey, upstream: upstream,
            rooms: { _ in room })
        let watch = Stopwatch()
        let url = try await server.start()
        var line = "\(url.split(separator: ":").last?.dropLast() ?? "")"
        if opensRoom {
            let room = try await server.room("/", of: Desk.self)
            line += " \(Int(watch.seconds * 1e9)) \(try await room.position.version)"
        }
        print(line)
        fflush(nil)
        var byte: UInt8 = 0
        while read(0, &byte, 1) > 0 {}
        await server.stop()
        exit(0)
    }
}

extension ChildProcess {
    static let flag = "--child"

    /// Starts this program in a role, and waits until it listens.
    ///
    /// - Parameters:
    ///   - journal: where it keeps its room, if it is a server.
    ///   - words: what else the role takes.
    convenience init(
        _ role: ChildRole, _ journal: ServedJournal = ServedJournal(), _ words: [String] = []
    ) throws {
        try self.init(
            program: "/proc/self/exe",
            ["StorecastBenchmarks", Self.flag, role.rawValue] + journal.arguments + words)
    }
}
