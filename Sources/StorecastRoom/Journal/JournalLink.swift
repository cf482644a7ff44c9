/// What a journal that other machines keep knows of these, and of the servers that share it.
package struct JournalLink: Equatable, Sendable {
    /// Whether the machines can be reached.
    package var isConnected: Bool
    /// How often they could be again, after they couldn't.
    package var reconnects: Int
    /// Nil if no other server has some of its rooms.
    package var cluster: Cluster?

    package init(isConnected: Bool, reconnects: Int, cluster: Cluster?) {
        self.isConnected = isConnected
        self.reconnects = reconnects
        self.cluster = cluster
    }

    package struct Cluster: Equatable, Sendable {
        /// How many servers are there, this one included.
        package var servers: Int
        /// How long it is since this server heard itself; when that is long, others take its rooms.
        package var pulseAge: Duration

        package init(servers: Int, pulseAge: Duration) {
            self.servers = servers
            self.pulseAge = pulseAge
        }
    }
}

/// The servers that share a journal's rooms, and which of them has which.
package struct JournalPlacement: Equatable, Sendable {
    package struct Server: Equatable, Sendable {
        package var id: String
        package var address: String
        /// How many rooms it was given.
        package var rooms: Int
        /// Whether it gives its rooms away.
        package var isLeaving: Bool
        /// Whether it is this one.
        package var isOwn: Bool

        package init(id: String, address: String, rooms: Int, isLeaving: Bool, isOwn: Bool) {
            self.id = id
            self.address = address
            self.rooms = rooms
            self.isLeaving = isLeaving
            self.isOwn = isOwn
        }
    }

    package struct Room: Equatable, Sendable {
        package var name: String
        /// The id of the server that has it; nil if that is gone.
        package var server: String?

        package init(name: String, server: String?) {
            self.name = name
            self.server = server
        }
    }

    package var servers: [Server]
    /// The first ``mostRooms``, in the order of their names.
    package var rooms: [Room]
    /// How many there are.
    package var total: Int

    package static let mostRooms = 1000

    package init(servers: [Server], rooms: [Room], total: Int) {
        self.servers = servers
        self.rooms = rooms
        self.total = total
    }
}
