import StorecastServer
import StorecastSync
import StorecastWire

/// How much went through connections, in one direction.
struct Traffic: Codable, Equatable, Sendable {
    var messages: UInt64 = 0
    var bytes: UInt64 = 0

    mutating func count(_ size: Int) {
        messages &+= 1
        bytes &+= UInt64(size)
    }

    static func += (total: inout Traffic, part: Traffic) {
        total.messages &+= part.messages
        total.bytes &+= part.bytes
    }
}

/// What connections received from their clients, and sent to them.
struct ConnectionTraffic: Codable, Equatable, Sendable {
    var received = Traffic()
    var sent = Traffic()

    static func += (total: inout ConnectionTraffic, part: ConnectionTraffic) {
        total.received += part.received
        total.sent += part.sent
    }
}

/// Counts what goes through one connection.
final class TrafficCounter: ConnectionObserver {
    let room: ExactString
    /// The client's network address.
    let address: String
    private(set) var traffic = ConnectionTraffic()
    private var lastReceived: ContinuousClock.Instant?

    init(_ room: ExactString, _ address: String) {
        self.room = room
        self.address = address
    }

    func received(_ bytes: Int) {
        traffic.received.count(bytes)
        lastReceived = ContinuousClock.now
    }

    /// For how long nothing has come; nil if nothing ever did.
    var silence: Duration? { lastReceived.map { ContinuousClock.now - $0 } }

    func sent(_ messages: [ServerMessage]) {
        for message in messages { traffic.sent.count(message.frameSize) }
    }
}

/// What goes through the connections of one loop's rooms, and went through those that have ended.
struct TrafficTable {
    private var counters: [UInt64: TrafficCounter] = [:]
    private var ended: [ExactString: ConnectionTraffic] = [:]

    /// The traffic of each room.
    var byRoom: [ExactString: ConnectionTraffic] {
        counters.values.reduce(into: ended) {
            $0[$1.room, default: ConnectionTraffic()] += $1.traffic
        }
    }

    func counter(of connection: UInt64) -> TrafficCounter? { counters[connection] }

    mutating func open(
        _ connection: UInt64, to path: String, from address: String
    ) -> TrafficCounter {
        let counter = TrafficCounter(ExactString(path), address)
        counters[connection] = counter
        return counter
    }

    /// - Parameter isOpen: whether a room is still in memory; what went through it is forgotten
    ///   otherwise.
    mutating func close(_ connection: UInt64, isOpen: (ExactString) -> Bool) {
        guard let counter = counters.removeValue(forKey: connection) else { return }
        if isOpen(counter.room) {
            ended[counter.room, default: ConnectionTraffic()] += counter.traffic
        } else {
            forget(counter.room)
        }
    }

    mutating func forget(_ room: ExactString) { ended[room] = nil }
}
