import StorecastSync

/// A server of a cluster: an id of this run of it, and where it lets the others in. Two are equal
/// if both are, byte by byte.
package struct ClusterServer: Hashable, Sendable {
    package var id: String
    /// `ws://host:port` or `wss://host:port`.
    package var address: String

    package init(id: String, address: String) {
        self.id = id
        self.address = address
    }

    package static func == (left: ClusterServer, right: ClusterServer) -> Bool {
        left.id.isSameText(as: right.id) && left.address.isSameText(as: right.address)
    }

    package func hash(into hasher: inout Hasher) {
        hasher.combine(ExactString(id))
        hasher.combine(ExactString(address))
    }
}

/// What a server shows the others of itself, twice a second.
struct ServerPulse: Equatable, Sendable {
    enum Kind: Equatable, Sendable {
        case here
        /// It gives its rooms away, and takes none.
        case leaving
        /// It ends: the last one.
        case gone
    }

    var server: ClusterServer
    /// Its own count of those that came back to it.
    var number: Int
    var kind = Kind.here
    /// A fingerprint of the key that it lets others in by; nil of an older version.
    var key: String?
}

/// Which servers of a cluster are there, by their pulses.
///
/// Time is counted in pulses of this server's own that came back to it, one of which is under way
/// at a time. So nobody's clock has a say, and a server that stood still, or was cut off from NATS,
/// takes nobody for gone because of that: it has heard none of its own either.
struct ServerPulses {
    enum Presence: Equatable {
        case present
        /// It hasn't been heard, nor waited for long enough.
        case unknown
        case gone
    }

    private struct Peer {
        var server: ClusterServer
        var isLeaving: Bool
        /// Whether it has another key, so that nobody gets from this server to its rooms.
        var isStranger: Bool
        /// How many own pulses had come back when it was last heard, or that began to count anew.
        var heard: Int
        /// Whether it hasn't been heard since this server was away.
        var isDoubtful = false
    }

    /// A server of which nothing is heard in so many pulses of this one is gone.
    static let patience = 6
    /// When a pulse of one's own hasn't come back in the time of so many, what was known is old.
    static let longestGap = 4
    /// How many servers are remembered that were never heard, or are gone; and that are there.
    private static let most = 1000

    private let own: ClusterServer
    private let key: String?
    /// How many own pulses came back; the number of the next one.
    private(set) var beats = 0
    /// How often the next one was sent.
    private var sent = 0
    /// How often something may have been missed: this server had heard nothing of itself for a
    /// while, or hears one again that was gone, which may have thought the same of it.
    private(set) var gaps = 0
    private var peers: [ExactString: Peer] = [:]
    /// When a server was first asked about that hasn't been heard.
    private var awaited: [ExactString: Int] = [:]
    private var departed: Set<ExactString> = []

    /// - Parameters:
    ///   - own: this server; nobody is, of one that only looks.
    ///   - key: the fingerprint of its key; nil for one who has none.
    init(own: ClusterServer, key: String? = nil) {
        self.own = own
        self.key = key
    }

    /// The next pulse of this server's own: the same until it has come back.
    mutating func next(_ kind: ServerPulse.Kind) -> ServerPulse {
        sent += 1
        return ServerPulse(server: own, number: beats, kind: kind, key: key)
    }

    /// A pulse came; returns those that have become gone with it.
    mutating func heard(_ pulse: ServerPulse) -> [ClusterServer] {
        let id = ExactString(pulse.server.id)
        var gone: [ExactString] = []
        if id == ExactString(own.id) {
            guard pulse.number == beats else { return [] }
            if sent > Self.longestGap { doubtAll() }
            beats += 1
            sent = 0
            gone = peers.filter { beats - $0.value.heard > Self.patience }.map(\.key)
        }
        if pulse.kind == .gone {
            if peers[id] != nil { gone.append(id) }
            depart(id)
        } else {
            if peers[id] == nil, departed.contains(id) {
                gaps += 1
            } else if peers[id] == nil {
                // An address is one process's at a time: of two that say so the newer one's.
                gone += peers.filter {
                    $0.value.server.address.isSameText(as: pulse.server.address)
                }
                .map(\.key)
            }
            // Whoever may write to NATS may make up any number.
            if peers[id] != nil || peers.count < Self.most {
                peers[id] = Peer(
                    server: pulse.server, isLeaving: pulse.kind == .leaving,
                    isStranger: isOther(pulse.key), heard: beats)
            }
            awaited[id] = nil
        }
        return gone.sorted().compactMap { id in
            depart(id)
            return peers.removeValue(forKey: id)?.server
        }
    }

    private func isOther(_ other: String?) -> Bool {
        guard let key, let other else { return false }
        return !key.isSameText(as: other)
    }

    /// Whether a server is there that has another key.
    func isStranger(_ server: ClusterServer) -> Bool {
        peers[ExactString(server.id)]?.isStranger == true
    }

    /// Of servers that have several keys those are to go on which have that of the first by its id:
    /// that one, if its key isn't this server's.
    var rival: ClusterServer? { all.first.flatMap { $0.isStranger ? $0.server : nil } }

    /// It heard nothing of itself for a while, nor of others: they have the whole time once more.
    private mutating func doubtAll() {
        for id in peers.keys {
            peers[id]?.heard = beats
            peers[id]?.isDoubtful = true
        }
        (awaited, departed) = ([:], [])
        gaps += 1
    }

    private mutating func depart(_ id: ExactString) {
        if departed.count >= Self.most { departed = [] }
        departed.insert(id)
    }

    /// - Parameter server: one that somebody gave a room to.
    mutating func presence(of server: ClusterServer) -> Presence {
        let id = ExactString(server.id)
        if let peer = peers[id] { return peer.isDoubtful ? .unknown : .present }
        // Before this run of it.
        let wasHere = server.address.isSameText(as: own.address) && id != ExactString(own.id)
        if departed.contains(id) || wasHere { return .gone }
        guard let since = awaited[id] else {
            if awaited.count >= Self.most { awaited = [:] }
            awaited[id] = beats
            return .unknown
        }
        return beats - since > Self.patience ? .gone : .unknown
    }

    /// Those that are there, by their ids, with whether they give their rooms away, and whether they
    /// have another key.
    var all: [(server: ClusterServer, isLeaving: Bool, isStranger: Bool)] {
        peers.filter { !$0.value.isDoubtful }.sorted { $0.key < $1.key }
            .map { ($0.value.server, $0.value.isLeaving, $0.value.isStranger) }
    }

    /// Who is to have a room that nobody has: each server says the same that has heard of the same
    /// servers, and when one of them goes its rooms are spread over the others. Nil if nobody is
    /// there who has this server's key.
    ///
    /// - Parameter other: who isn't to have it.
    func choice(for room: String, but other: String? = nil) -> ClusterServer? {
        let others = all.filter {
            !$0.isStranger && other?.isSameText(as: $0.server.id) != true
        }
        let willing = others.filter { !$0.isLeaving }
        // Rather one that was drained than nobody; but a room isn't given from one to the other.
        return (willing.isEmpty && other == nil ? others : willing)
            .map { (rank: Self.rank($0.server.id, of: room), server: $0.server) }
            .max { $0.rank.lexicographicallyPrecedes($1.rank) }?.server
    }

    /// Rendezvous hashing: the highest has the room.
    private static func rank(_ server: String, of room: String) -> [UInt8] {
        SHA256.digest(of: "\(server) \(room)".utf8)
    }
}
