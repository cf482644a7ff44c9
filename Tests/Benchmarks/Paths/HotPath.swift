import Glibc
import MeasureSupport
import StorecastRoom
import StorecastServer
import StorecastTables
import StorecastWire

/// A path whose instructions are counted (`.ci/instructions`): what the process executes for twice
/// as many turns, less what it executes for the turns alone, is what the turns cost, to the
/// instruction. Without sockets and time; with one thread.
enum HotPath: String, CaseIterable {
    /// A small action of one connection, and its ack; one more connection mirrors what it changes.
    case action
    /// Sixty-four in one message.
    case batch
    /// A member of a JSON room's document is set, which one connection mirrors.
    case json
    /// A change of what a thousand connections mirror.
    case fanOut = "fan-out"
    /// One row of 10,000 changes, and one connection mirrors the table.
    case table
    /// One row of 10,000 changes, and each of 100 connections looks at another page of 50.
    case page

    /// `--path NAME TURNS`
    static func run(_ arguments: ArraySlice<String>) throws {
        let words = Array(arguments)
        guard words.count == 2, let path = HotPath(rawValue: words[0]), let turns = Int(words[1])
        else {
            throw Failure(
                "--path needs one of \(allCases.map(\.rawValue)) and a number of turns.")
        }
        try path.run(turns)
    }

    private func run(_ turns: Int) throws {
        switch self {
        case .action, .batch:
            try Self.turn(
                turns, Desk.room, selection: "tally", actions: self == .action ? 1 : 64,
                Vote.wireName
            ) { _ in #"{"card":"card-000123","by":1}"# }
        case .json:
            let entries = (0..<100).map { #"{"name":"entry \#($0)","votes":0}"# }
            let document = try JSON(parsing: #"{"entries":[\#(entries.joined(separator: ","))]}"#)
            try Self.turn(
                turns, JSONRoom.definition(initial: document), selection: "value", "set"
            ) { #"{"path":"/entries/17/votes","value":\#($0)}"# }
        case .fanOut:
            try Self.turn(
                turns, Desk.room, selection: "panel", mirrors: 1_000, WriteNote.wireName
            ) { _ in #"{"text":"A note that says a few things"}"# }
        case .table:
            try Self.turn(turns, Shelf.room, selection: "all", Shelf.Stamp.wireName) {
                #"{"id":"book-17","number":\#($0)}"#
            }
        case .page:
            try Self.turn(
                turns, Shelf.room, selection: "page", parameters: { "\"\($0)\"" }, mirrors: 100,
                Shelf.Stamp.wireName
            ) { #"{"id":"book-17","number":\#($0)}"# }
        }
    }

    /// In each turn one connection's message of a few actions comes, and everybody is sent what
    /// they lead to.
    private static func turn<State>(
        _ turns: Int, _ room: RoomDefinition<State>, selection: String,
        parameters: (Int) -> String? = { _ in nil }, mirrors: Int = 1, actions: Int = 1,
        _ type: String, payload: (UInt64) -> String
    ) throws {
        let host = PathHost(room)
        for number in 0..<mirrors {
            let params = try parameters(number).map { try JSON(parsing: $0) }
            try host.connect(number).send {
                $0.writeSubscribe(ref: 1, select: selection, params: params, at: nil)
            }
        }
        let sender = try host.connect(mirrors)
        let first = PathLink.known + 1
        for turn in 0..<UInt64(turns) {
            sender.send {
                if actions > 1 { $0.beginArray() }
                for seq in (first + turn * UInt64(actions))..<(first + (turn + 1) * UInt64(actions))
                {
                    $0.writeDispatch(
                        seq: seq, base: 1, settled: 0, type: type, payload: Array(payload(seq).utf8)
                    )
                }
                if actions > 1 { $0.endArray() }
            }
        }
        guard let version = host.loop.rooms.values.first?.position.version,
            version == UInt64(turns * actions), host.writes > turns
        else { throw Failure("Something wasn't taken, or nobody was sent what it led to.") }
    }
}

/// A loop with one room, without sockets.
private final class PathHost: LoopHost {
    private let journal = MemoryJournal()
    private let makeRoom: (String, RoomLoop, MemoryJournal) -> any AnyRoom
    private(set) var loop: RoomLoop!
    private var links: [PathLink] = []
    var now: Duration { .zero }
    var timeOfDay: Timestamp { Timestamp(secondsSince1970: 0) }
    /// How many writes there were.
    var writes = 0

    init<State>(_ room: RoomDefinition<State>) {
        makeRoom = { name, loop, journal in
            room.open(
                RoomContext(
                    name: name, journal: journal, loop: loop,
                    now: { Timestamp(secondsSince1970: 1) },
                    random: SeededGenerator(seed: 1)))
        }
        var limits = SyncLimits()
        limits.setRates(.unlimited)
        loop = RoomLoop(limits: limits, unloadsRooms: false, host: self)
    }

    func connect(_ number: Int) throws -> PathLink {
        let link = PathLink(UInt64(number), self)
        links.append(link)
        guard let session = loop.begin(link, in: "/") else { throw Failure("There is no room.") }
        link.session = session
        let digits = String(number, radix: 16)
        let client = String(repeating: "0", count: 32 - digits.count) + digits
        link.send { $0.write(ClientFrame.Hello(client: client, settled: PathLink.known)) }
        loop.endTurn()
        return link
    }

    func makeRoom(_ path: String, on loop: RoomLoop) -> (any AnyRoom)? {
        makeRoom(path, loop, journal)
    }
    func authenticate(_ session: ServerSession, token: String?) {
        session.authenticated(.success(.anonymous))
    }
    func schedule(after delay: Duration, _ work: @escaping () -> Void) {}
    func offload<Result: Sendable>(
        _ work: @escaping @Sendable () -> Result, completion: @escaping (Result) -> Void
    ) { completion(work()) }
    func report(_ message: String) { print(message) }
}

/// A connection that takes whatever it is sent.
private final class PathLink: ServerLink {
    /// The last number before the first dispatch's, so that all have as many digits.
    static let known: UInt64 = 1_000_000

    let id: UInt64
    var session: ServerSession?
    private unowned let host: PathHost

    init(_ id: UInt64, _ host: PathHost) {
        self.id = id
        self.host = host
    }

    var isWritable: Bool { true }

    /// The client sends a message.
    func send(_ write: (inout JSONWriter) -> Void) {
        var writer = JSONWriter(reserving: 256)
        write(&writer)
        writer.bytes.withUnsafeBytes { session?.receive($0) }
        host.loop.endTurn()
    }

    func write(_ messages: [ServerMessage]) {
        host.writes += 1
    }

    func close(_ code: CloseCode, reason: String, behind last: [ServerMessage]) {
        fatalError(
            "Closed: \(reason) \(last.map { String(decoding: $0.text, as: UTF8.self) })")
    }

    func setReading(_ reads: Bool) {}
}

/// A table of books, for paths in which one row changes.
private struct Shelf: Codable, Sendable {
    struct Book: Identifiable, Codable, Equatable, Sendable {
        var id: String
        var shelf: String
        var number: Int
        var title = "A book about a thing or two"
    }

    struct Stamp: SyncAction {
        var id: String
        var number: Int
    }

    var books: StorecastTables.Table<Book>

    static let room = RoomDefinition(
        state: Shelf(
            books: StorecastTables.Table(
                (0..<10_000).map { Book(id: "book-\($0)", shelf: "\($0 % 100)", number: $0) })),
        actions: [Stamp.self], selections: [all, page],
        reducer: { shelf, action in
            guard let stamp = action as? Stamp else { return }
            shelf.books[id: stamp.id]?.title = "A book about \(stamp.number) things"
        })

    static let all = Selection("all") { (shelf: Shelf) in shelf.books }
    static let page = Selection("page", rows: \Shelf.books) { (shelf: String) in
        RowQuery().where(\.shelf, is: shelf).sorted(by: \.number).limit(50)
    }
}
