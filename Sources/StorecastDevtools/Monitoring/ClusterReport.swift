import StorecastRoom

/// The servers that share rooms, and which of them has which, for who looks at one of them.
struct ClusterReport: Encodable {
    struct Server: Encodable {
        var id: String
        var address: String
        var rooms: Int
        /// Whether it gives its rooms away, and takes none.
        var isDrained: Bool
        /// Whether it is the one that answers.
        var isOwn: Bool
    }

    struct Room: Encodable {
        var room: String
        /// Left out if nobody has it now.
        var server: String?
    }

    var servers: [Server]
    /// The first of them.
    var rooms: [Room]
    /// How many there are.
    var total: Int

    init(_ placement: JournalPlacement) {
        servers = placement.servers.map { server in
            Server(
                id: server.id, address: server.address, rooms: server.rooms,
                isDrained: server.isLeaving, isOwn: server.isOwn)
        }
        rooms = placement.rooms.map { Room(room: $0.name, server: $0.server) }
        total = placement.total
    }
}
