import StorecastSync

/// A server of a cluster: an id of this run of it, and where it lets the others in.
package struct ClusterServer: Hashable, Sendable {
    package var id: String
    /// `ws://host:port` or `wss://host:port`.
    package var address: String

    package init(id: String, address: String) {
        self.id = id
        self.address = address
    }
}

/// Which servers of a cluster are there: each sends a pulse to all of them, twice a second.
///
/// Time is counted in pulses of this server's own that came back to it. So nobody's clock has a say,
/// and a server that stood still, or was cut off from NATS, takes nobody for gone because of that: it
/// has heard none of its own either.
struct ServerPulses {
    enum Presence: Equatable {
        case present
        /// It wasn't heard since this server listens, which isn't long yet.
        case unknown
        case gone
    }

    private struct Peer {
        var server: ClusterServer
        /// Whether it gives its rooms away.
        var isLeaving: Bool
        /// How many own pulses had come back when it was last heard.
        var heard: Int
    }

    /// A server of which nothing is heard in so many pulses of this one is gone.
    static let patience = 6

    private let own: String
    private var beats = 0
    private var peers: [ExactString: Peer] = [:]

    /// - Parameter own: the id of this server.
    init(own: String) { self.own = own }

    /// A pulse came; returns those that have become gone with it.
    mutating func heard(_ server: ClusterServer, isLeaving: Bool) -> [ClusterServer] {
        let id = ExactString(server.id)
        var gone: [ExactString] = []
        if server.id.isSameText(as: own) {
            beats += 1
            gone = peers.filter { beats - $0.value.heard > Self.patience }.map(\.key)
        }
        // An address is one process's at a time.
        if peers[id] == nil {
            gone += peers.filter { $0.value.server.address.isSameText(as: server.address) }.map(
                \.key)
        }
        peers[id] = Peer(server: server, isLeaving: isLeaving, heard: beats)
        return gone.sorted().compactMap { $0 == id ? nil : peers.removeValue(forKey: $0)?.server }
    }

    func presence(of server: ClusterServer) -> Presence {
        if peers[ExactString(server.id)] != nil { return .present }
        let isReplaced = peers.values.contains { $0.server.address.isSameText(as: server.address) }
        return isReplaced || beats > Self.patience ? .gone : .unknown
    }

    /// Those that are there, by their ids, with whether they give their rooms away.
    var all: [(server: ClusterServer, isLeaving: Bool)] {
        peers.sorted { $0.key < $1.key }.map { ($0.value.server, $0.value.isLeaving) }
    }

    /// Who is to have a room that nobody has: each server says the same that has heard of the same
    /// servers, and when one of them goes its rooms are spread over the others. Nil if nobody takes
    /// rooms.
    ///
    /// - Parameter other: who isn't to have it.
    func choice(for room: String, but other: String? = nil) -> ClusterServer? {
        all.filter { !$0.isLeaving && other?.isSameText(as: $0.server.id) != true }
            .map { (rank: Self.rank($0.server.id, of: room), server: $0.server) }
            .max { $0.rank.lexicographicallyPrecedes($1.rank) }?.server
    }

    /// Rendezvous hashing: the highest has the room.
    private static func rank(_ server: String, of room: String) -> [UInt8] {
        SHA256.digest(of: "\(server) \(room)".utf8)
    }
}
