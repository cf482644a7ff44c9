import StorecastNATS
import StorecastSync
import StorecastWire

/// The servers of a cluster, and which of them has which room, as one of them or an operator saw it
/// at a moment.
public struct ClusterStatus: Equatable, Sendable {
    /// A server that is there.
    public struct Server: Equatable, Sendable, Identifiable {
        /// Of this run of it: 12 letters and digits.
        public var id: String
        /// Where the others reach it: `ws://host:port` or `wss://host:port`.
        public var address: String
        /// How many rooms it has, open or not.
        public var rooms: Int
        /// Whether it was drained, and takes no rooms unless nobody else is there.
        public var isDrained: Bool
    }

    /// A room that somebody was given.
    public struct Room: Equatable, Sendable {
        /// Its path.
        public var path: String
        /// The id of the server that has it; nil if that is gone, and nobody has asked for the room
        /// since.
        public var server: String?
    }

    /// By their ids.
    public var servers: [Server]
    /// By their paths.
    public var rooms: [Room]
}

/// What operators ask of a cluster: the same by whichever connection to NATS.
extension RoomPlaces {
    /// O(rooms), in requests of some hundred rooms each.
    nonisolated func status() async throws(NATSError) -> ClusterStatus {
        let sights = await servers
        let given = try await all()
        var counts: [ClusterServer: Int] = [:]
        for (_, server) in given { counts[server, default: 0] += 1 }
        let present = Set(sights.map(\.server))
        return ClusterStatus(
            servers: sights.map { sight in
                ClusterStatus.Server(
                    id: sight.server.id, address: sight.server.address,
                    rooms: counts[sight.server] ?? 0, isDrained: sight.isLeaving)
            },
            rooms: given.map { (name: ExactString($0.room), server: $0.server) }
                .sorted { $0.name < $1.name }
                .map { name, server in
                    ClusterStatus.Room(
                        path: name.string, server: present.contains(server) ? server.id : nil)
                })
    }

    /// Has a room go to another server, by its id or the beginning of that; returns which.
    nonisolated func move(
        _ room: String, to id: String?
    ) async throws(NATSError) -> ClusterServer {
        guard let owner = try await holder(of: room) else {
            let hint = room.hasPrefix("/") ? "" : " A path begins with a slash: '/\(room)'."
            throw .refused("Nobody has the room '\(room)'.\(hint)")
        }
        var target: ClusterServer?
        if let id { target = try await server(withID: id) }
        if target != owner { try await ask(owner, toMove: room, to: target?.id) }
        guard let now = try await holder(of: room) else {
            throw .refused("Nobody has the room '\(room)'.")
        }
        return now
    }

    /// Has all rooms of a server go to others; returns which server that was.
    nonisolated func drain(_ id: String) async throws(NATSError) -> ClusterServer {
        let server = try await server(withID: id)
        try await ask(server, toMove: nil)
        return server
    }

    /// The only server whose id is that, or begins so.
    nonisolated func server(withID id: String) async throws(NATSError) -> ClusterServer {
        let found = await servers.map(\.server).filter { $0.id.utf8.starts(with: id.utf8) }
        guard let first = found.first, !id.isEmpty else {
            throw .refused("There is no server '\(id)'.")
        }
        guard found.count == 1 else {
            throw .refused("'\(id)' may be \(found.map(\.id).joined(separator: " or ")).")
        }
        return first
    }
}
