public import Logging
import StorecastNATS
public import StorecastServer
import StorecastSync
import Synchronization

/// What makes a server one of a cluster, whose servers share rooms that are kept at NATS.
///
/// ```swift
/// let node = try ClusterNode(
///     nats: NATSServers("nats://n1,nats://n2,nats://n3"), key: EdgeKey(file: "cluster.key"),
///     address: "10.0.0.11:9091")
/// await SyncServer(host: "0.0.0.0", journal: .cluster(node), rooms: rooms).main()
/// ```
/// Each room is written by one server at a time, which is what the journal at NATS sees to; which
/// one it is may change at any moment. Two or more servers go on when one of them ends: its rooms
/// are at others after 3 to 4 s, or at once if it is stopped. A server that is added is given rooms
/// that nobody has open, or whose server ends.
///
/// Each server has a connection to NATS, and one to every server for each room that its clients are
/// in. It shows the others that it is there twice a second.
///
/// Every member may be used from any thread. A node is of one server, and runs once. `storecast
/// cluster` works with clusters of your own servers too.
public final class ClusterNode: Sendable {
    /// This run of the server: 12 letters and digits, by which the others and operators call it.
    public let id: String

    let nats: NATSServers
    let key: EdgeKey
    let place: NodeAddress
    let roots: String?
    let pulseInterval: Duration
    let patience: Duration
    let store = Mutex<JetStreamStore?>(nil)
    let servers = Mutex<Servers?>(nil)
    let logger: Logger
    let hasBegun = Atomic(false)
    /// How often it was asked, since it last began, to look up who has the rooms that it has; 0 if
    /// it doesn't do that now.
    let checks = Atomic(0)
    /// A stream that NATS hasn't any more, as far as is known.
    let missing = Mutex<String?>(nil)
    let isLooking = Atomic(false)

    /// While it runs: the two parts, and what the others know of them.
    struct Servers {
        var owner: SyncServer
        var front: SyncServer
        var own: ClusterServer
    }

    /// Connects to nothing yet: that is done when the server starts.
    ///
    /// - Parameters:
    ///   - nats: where rooms are kept, the same at all servers.
    ///   - key: what all servers of the cluster have. Whoever has it may act as anybody.
    ///   - address: where the other servers reach this one, `host:port`, or `wss://host:port` to
    ///     have it encrypted with the server's own certificate: then it connects to no server that
    ///     doesn't encrypt. It listens there: with an IP address on that one, and with a name on all
    ///     IPv4 addresses of the machine. One of this machine alone, such as `127.0.0.1:9091`, is
    ///     taken only if `nats` is on this machine. Without it, on this machine and any free port, if
    ///     as many NATS servers as there are replicas are on it: for trying things out.
    ///   - roots: a file of root certificates (PEM) to trust in place of the system's when others
    ///     are encrypted.
    ///   - logger: where it logs which servers come and go.
    /// - Throws: `ServerError.Code.clusterUnusable`.
    public convenience init(
        nats: NATSServers, key: EdgeKey, address: String? = nil, trusting roots: String? = nil,
        logger: Logger = Logger(label: "storecast.cluster")
    ) throws(ServerError) {
        var place = NodeAddress()
        if let address {
            guard let given = NodeAddress(address) else {
                throw ServerError(
                    .clusterUnusable,
                    "Other servers can't reach this one at '\(address)': write 10.0.0.11:9091.")
            }
            guard !given.isLocal || nats.areLocal else {
                throw ServerError(
                    .clusterUnusable,
                    "'\(address)' is a loopback address, and NATS isn't on this machine: "
                        + "write 10.0.0.11:9091.")
            }
            place = given
        } else if !nats.areOnThisMachine {
            throw ServerError(
                .clusterUnusable,
                "Where do the other servers reach this one? Give it an address. It may be left out if "
                    + "all is on this machine: every NATS server, as many as there are replicas.")
        }
        self.init(nats: nats, key: key, at: place, trusting: roots, logger: logger)
    }

    /// - Parameter patience: how long servers with another key may take to end.
    package init(
        nats: NATSServers, key: EdgeKey, at place: NodeAddress, trusting roots: String? = nil,
        logger: Logger = Logger(label: "storecast.cluster"),
        pulseInterval: Duration = .milliseconds(500), patience: Duration = .seconds(30)
    ) {
        self.nats = nats
        self.key = key
        self.place = place
        self.roots = roots
        self.pulseInterval = pulseInterval
        self.patience = patience
        // What others call themselves is theirs to say, and may be said again and again.
        self.logger = logger.safe.withoutRepetition
        var random = SystemRandomNumberGenerator()
        id = String(randomID(using: &random).prefix(12))
    }

    /// Where the others reach the server, `ws://host:port` or `wss://host:port`, while it runs; nil
    /// otherwise.
    public var address: String? { own?.address }

    // MARK: Operations

    /// The servers that are there, and which of them has which room. A server that was just started
    /// has heard of all others after a second.
    ///
    /// O(rooms), in requests of some hundred rooms each.
    ///
    /// - Throws: `ServerError.Code.clusterRefused` if NATS doesn't answer, `notRunning`.
    public func status() async throws(ServerError) -> ClusterStatus {
        try await asking { places, _ throws(NATSError) in try await places.status() }
    }

    /// Has a room go to another server, from whichever has it. Clients don't notice: actions that
    /// are on their way are sent again.
    ///
    /// - Parameters:
    ///   - room: its path.
    ///   - server: to this one, by its id or the beginning of that; without it, to the one that
    ///     would have the room if its own were gone.
    /// - Returns: the id of the server that has it then.
    /// - Throws: `ServerError.Code.clusterRefused` if nobody has the room, there is no such server,
    ///   it takes no rooms, or there is no answer within a minute; `notRunning`.
    @discardableResult
    public func move(
        _ room: String, to server: String? = nil
    ) async throws(ServerError) -> String {
        try await asking { places, servers throws(NATSError) in
            // It doesn't ask itself, for which it would need NATS.
            guard try await places.holder(of: room) == servers.own else {
                return try await places.move(room, to: server).id
            }
            var target: String?
            if let server { target = try await places.server(withID: server).id }
            return try await give(room, to: target, servers.owner).id
        }
    }

    /// Has all rooms of a server go to others. It takes none from then on, until it is started anew,
    /// unless nobody else is there; its clients stay.
    ///
    /// - Parameter server: its id or the beginning of that; without it, this one.
    /// - Throws: `ServerError.Code.clusterRefused` if there is no such server, nobody else takes
    ///   rooms, or it has more than it can give away in 40 s: then it says how many are left, and
    ///   may be drained again; `notRunning`.
    public func drain(_ server: String? = nil) async throws(ServerError) {
        try await asking { places, servers throws(NATSError) in
            var target = servers.own
            if let server { target = try await places.server(withID: server) }
            guard target == servers.own else { return try await places.ask(target, toMove: nil) }
            if let problem = try await drain(servers.owner) { throw .refused(problem) }
        }
    }

    private func asking<Result>(
        _ body: (RoomPlaces, Servers) async throws(NATSError) -> Result
    ) async throws(ServerError) -> Result {
        guard let servers = servers.withLock({ $0 }), let places else {
            throw ServerError(.notRunning, "The server doesn't run.")
        }
        do throws(NATSError) { return try await body(places, servers) } catch {
            throw ServerError(.clusterRefused, error.description)
        }
    }

    private var own: ClusterServer? { servers.withLock { $0?.own } }

    var places: RoomPlaces? { store.withLock { $0 }?.places }

    static var notRunning: NATSError { .unavailable("The server doesn't run.") }
}
