import StorecastClient
import StorecastWire

/// The clients, what is wrong with what they see, and how long rooms aren't written.
@MainActor final class Crew {
    struct Room {
        let path: String
        var epoch: String?
        /// How many actions were acked, and the highest version that one was acked with.
        var acked = 0
        var version: UInt64 = 0
        fileprivate var lastAck = ContinuousClock.now
        fileprivate var longestGap = Duration.zero
    }

    private(set) var rooms: [Room]
    private(set) var clients: [Client] = []
    /// Of each room, those who write.
    private(set) var writers: [[Client]]
    /// What must not happen, in sentences; those that come first.
    private(set) var findings: [String] = []
    private(set) var isFinishing = false
    /// How long a client waits, about, before it writes again.
    let pause: Duration
    private var slowestAck = Duration.zero
    private var measureStart = ContinuousClock.now

    private static let mostFindings = 20

    /// - Parameters:
    ///   - rate: how many actions all dispatch in a second, about.
    ///   - servers: `ws://HOST:PORT` of each server.
    init(clients count: Int, rooms: Int, rate: Double, servers: [String]) {
        self.rooms = (0..<rooms).map { Room(path: "/room-\($0)") }
        writers = Array(repeating: [], count: rooms)
        // Of each five in a room one writes nothing.
        let isWriter = (0..<count).map { $0 / rooms % 5 != 4 }
        // They write two at a time, on average.
        pause = .seconds(2 * Double(isWriter.count { $0 }) / rate)
        for number in 0..<count {
            let room = number % rooms
            let client = Client(
                number, room: room, isWriter: isWriter[number], in: self,
                RotatingTransport(servers, for: number))
            clients.append(client)
            if client.isWriter { writers[room].append(client) }
        }
    }

    /// What the rooms' documents begin as.
    static func document(clients count: Int) -> String {
        "{" + (0..<count).map { #""\#($0)":[]"# }.joined(separator: ",") + "}"
    }

    /// Which schema a whole document has.
    static func schema(of document: JSON) -> Int { document["schema"]?.int ?? 1 }

    func start() { for client in clients { client.start() } }

    /// Has nobody write more than they have begun.
    func finish() { isFinishing = true }

    /// How many actions were acked.
    var acked: Int { rooms.reduce(0) { $0 + $1.acked } }

    // MARK: What clients tell

    /// - Parameter time: when it was dispatched.
    func acked(in room: Int, _ position: Position, since time: ContinuousClock.Instant) {
        saw(position, in: room)
        let now = ContinuousClock.now
        rooms[room].longestGap = max(rooms[room].longestGap, now - rooms[room].lastAck)
        rooms[room].lastAck = now
        rooms[room].acked += 1
        rooms[room].version = max(rooms[room].version, position.version)
        // What was dispatched before waits because of what was before.
        if time >= measureStart { slowestAck = max(slowestAck, now - time) }
    }

    func saw(_ position: Position, in room: Int) {
        guard let epoch = rooms[room].epoch else { return rooms[room].epoch = position.epoch }
        if !position.epoch.isSameText(as: epoch) {
            find("\(rooms[room].path) has begun a new history, \(position), after \(epoch).")
        }
    }

    func find(_ sentence: String) {
        if findings.count < Self.mostFindings { findings.append(sentence) }
    }

    // MARK: How long nothing is acked

    /// Begins to measure.
    func beginMeasure() {
        for room in rooms.indices { rooms[room].longestGap = .zero }
        slowestAck = .zero
        measureStart = .now
    }

    /// Since then: of these rooms, the longest time without an acked write, in seconds; and of all
    /// acks the longest that one took.
    func measure(_ chosen: [Int]) -> (gaps: [Double], slowestAck: Double) {
        let now = ContinuousClock.now
        let gaps = chosen.map { max(rooms[$0].longestGap, now - rooms[$0].lastAck) / .seconds(1) }
        return (gaps, slowestAck / .seconds(1))
    }

    /// The rooms in which nothing was acked in the last second.
    var unwritten: [Room] {
        let now = ContinuousClock.now
        return rooms.filter { now - $0.lastAck > .seconds(1) }
    }

    /// Those that haven't gone on since then.
    ///
    /// - Parameters:
    ///   - versions: the rooms' at that time, as far as they were acked.
    ///   - schema: which all servers have at least.
    func unsettled(
        since time: ContinuousClock.Instant, _ versions: [UInt64], schema: Int
    ) -> [Client] {
        clients.filter { !$0.isSettled(since: time, versions[$0.room], schema: schema) }
    }
}
