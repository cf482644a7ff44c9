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
    /// The floor that fan-out is compared with: a loop of `send` over plain sockets.
    case sender

    static func run(_ arguments: ArraySlice<String>) async throws {
        DescriptorLimit.raise()
        let name = arguments.first ?? ""
        let journal = ServedJournal(arguments.dropFirst())
        switch ChildRole(rawValue: name) {
        case .server: try await serve(Desk.room, journal, opensRoom: false)
        case .twoLoops: try await serve(Desk.room, journal, opensRoom: false, loops: 2)
        case .recovery: try await serve(Desk.room, journal, opensRoom: true)
        case .document:
            try await serve(JSONRoom.definition(initial: [:]), journal, opensRoom: false)
        case .chores: try await serve(RowCost.room, journal, opensRoom: false)
        case .sender: try PlainSender.run()
        case nil: throw Failure("There is no role '\(name)'.")
        }
    }

    private static func serve(
        _ room: any RoomDefinitionProtocol, _ journal: ServedJournal, opensRoom: Bool,
        loops: Int = 1
    ) async throws {
        var logger = Logger(label: "benchmark")
        logger.logLevel = .error
        let server = SyncServer(
            port: journal.port, journal: journal.provider, loops: loops, limits: journal.limits,
            logger: logger, rooms: { _ in room })
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
    /// - Parameter journal: where it keeps its room, if it is a server.
    convenience init(_ role: ChildRole, _ journal: ServedJournal = ServedJournal()) throws {
        try self.init(
            program: "/proc/self/exe",
            ["StorecastBenchmarks", Self.flag, role.rawValue] + journal.arguments)
    }
}
