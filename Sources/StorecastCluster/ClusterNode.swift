public import Logging
import StorecastMirror
import StorecastNATS
public import StorecastServer
import StorecastSync
import StorecastWire
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

    private let nats: NATSServers
    private let key: EdgeKey
    private let place: NodeAddress
    private let roots: String?
    private let pulseInterval: Duration
    private let patience: Duration
    private let store = Mutex<JetStreamStore?>(nil)
    private let servers = Mutex<Servers?>(nil)
    private let logger: Logger
    private let hasBegun = Atomic(false)
    /// How often it was asked, since it last began, to look up who has the rooms that it has; 0 if
    /// it doesn't do that now.
    private let checks = Atomic(0)
    /// A stream that NATS hasn't any more, as far as is known.
    private let missing = Mutex<String?>(nil)
    private let isLooking = Atomic(false)

    /// While it runs: the two parts, and what the others know of them.
    private struct Servers {
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
                    "'\(address)' isn't where other servers reach one: write 10.0.0.11:9091.")
            }
            guard !given.isLocal || nats.areLocal else {
                throw ServerError(
                    .clusterUnusable,
                    "'\(address)' leads every server to itself, and NATS isn't on this machine: "
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

    private var places: RoomPlaces? { store.withLock { $0 }?.places }

    private static var notRunning: NATSError { .unavailable("The server doesn't run.") }

    private func take(_ event: RoomPlaces.Event) async {
        guard let servers = servers.withLock({ $0 }) else { return }
        let (owner, front) = (servers.owner, servers.front)
        switch event {
        case .gone(let server):
            if !server.id.isSameText(as: id) {
                logger.warning("the server \(server.id) at \(server.address) is gone")
            }
            await front.upstreamEnded(server.id)
        case .placed(let room, _):
            guard await owner.hasRoom(room) else { return }
            // It is heard before it is kept, if it is.
            for _ in 0..<Self.looks {
                if await leaveIfLost(room, owner) == true { return }
                try? await Task.sleep(for: Self.pause)
            }
        case .check:
            Task { await lookForStreams(owner) }
            // One at a time; and once more if it is asked for meanwhile, however often.
            guard checks.wrappingAdd(1, ordering: .relaxed).oldValue == 0 else { return }
            var asked = 0
            repeat {
                asked = checks.load(ordering: .relaxed)
                await leaveLost(owner)
            } while checks.wrappingSubtract(asked, ordering: .relaxed).newValue > 0
        case .double(let server):
            logger.error(
                """
                the server \(server.id) says that it is at this one's address, \(server.address): \
                give each an address of its own
                """)
        case .stranger(let server): logger.error("\(otherKey(server, servers.own))")
        case .move(let room, let to, let answer):
            do throws(NATSError) {
                try await give(room, to: to, owner)
                answer(nil)
            } catch {
                answer(error.description)
            }
        case .drain(let answer):
            do throws(NATSError) { answer(try await drain(owner)) } catch {
                answer(error.description)
            }
        }
    }

    /// How often it is looked up at most who has a room.
    private static let looks = 20
    private static let pause = Duration.milliseconds(250)

    /// Looks whether NATS has lost streams, as when its servers have other disks than before, and as
    /// long as it has looks again.
    ///
    /// It makes them at its start only: the disks may come back, or a backup be brought there, and
    /// rooms that clients have begun anew meanwhile would be in its way.
    private func lookForStreams(_ owner: SyncServer) async {
        guard !isLooking.exchange(true, ordering: .relaxed) else { return }
        defer { isLooking.store(false, ordering: .relaxed) }
        var failures = 0
        while let rooms = store.withLock({ $0 })?.rooms {
            do throws(NATSError) {
                if let stream = try await rooms.missingStream() {
                    noteMissing(stream)
                } else if missing.withLock({ $0 }) == nil {
                    return
                } else {
                    // A room in which nothing happened yet has an epoch of when its stream was made.
                    try await rooms.prepare()
                    missing.withLock { $0 = nil }
                    logger.notice("NATS has all streams again")
                    return await leaveLost(owner)
                }
            } catch {
                // It may have no leader yet.
                failures += 1
                if failures == Self.looks, missing.withLock({ $0 }) == nil { return }
            }
            try? await Task.sleep(for: Self.pause)
        }
    }

    private func noteMissing(_ stream: String) {
        let isFirst = missing.withLock { known in
            defer { known = stream }
            return known == nil
        }
        guard isFirst else { return }
        logger.error(
            """
            NATS has lost the stream '\(stream)': nothing is acknowledged. If its data can be brought \
            back, do that; else end all servers of the cluster, restore a backup, and start them anew \
            (Docs/Cluster.md)
            """)
    }

    private var lostStream: String? {
        missing.withLock { $0 }.map { "NATS has lost the stream '\($0)'." }
    }

    /// Leaves the rooms that were given to other servers, and those whose logs have lost their ends.
    private func leaveLost(_ owner: SyncServer) async {
        var rooms = await owner.openRooms()[...]
        for _ in 0..<Self.looks {
            while let room = rooms.first, await leaveIfLost(room, owner) != nil {
                rooms.removeFirst()
            }
            if rooms.isEmpty { return }
            // It is connected, but the stream may have no leader yet.
            try? await Task.sleep(for: Self.pause)
        }
    }

    /// Leaves a room that was given to another server, or whose log has lost its end; whether that
    /// is so, nil if it can't be asked.
    private func leaveIfLost(_ room: String, _ owner: SyncServer) async -> Bool? {
        let reason: JetStreamRooms.ReasonToLeave?
        do throws(JournalError) {
            reason = try await store.withLock { $0 }?.rooms.reasonToLeave(room)
        } catch {
            return nil
        }
        guard let reason else { return false }
        await leave(room, reason, owner)
        return true
    }

    private func leave(
        _ room: String, _ reason: JetStreamRooms.ReasonToLeave, _ owner: SyncServer
    ) async {
        await owner.leave(room, reason.description, asTold: reason != .lostEnd)
    }

    /// Gives a room that this server has to another one, or to any; who has it then.
    @discardableResult
    private func give(
        _ room: String, to: String?, _ owner: SyncServer
    ) async throws(NATSError) -> ClusterServer {
        guard let places else { throw Self.notRunning }
        // So that the next one reads little of the log.
        await owner.prepareToLeave(room)
        let server = try await places.give(room, to: to)
        if !server.id.isSameText(as: id) {
            await leave(room, .given(to: server), owner)
        }
        return server
    }

    /// Gives away all rooms, also those that it is given meanwhile by others who haven't heard that
    /// it takes none; what kept it from that.
    private func drain(_ owner: SyncServer) async throws(NATSError) -> String? {
        // What has begun by then has the rest of the time: whoever asks is to hear something.
        let end = ContinuousClock.now + RoomPlaces.longestAnswer * 2 / 3
        guard let places else { throw Self.notRunning }
        try await places.leave()
        var (before, problem) = (Int.max, String?.none)
        while true {
            let own = try await places.all().filter { $0.server.id.isSameText(as: id) }
            if own.isEmpty { return nil }
            // What it was about may have gone meanwhile: but then they are fewer.
            if let problem, own.count >= before { return problem }
            before = own.count
            problem = await give(own.map(\.room), owner, until: end)
        }
    }

    /// Gives the rooms that are open to other servers, as long as there is time for that. Nobody
    /// would notice of the others that they have no server for a moment.
    package func leave() async {
        guard let owner = servers.withLock({ $0 })?.owner, let places else { return }
        let end = ContinuousClock.now + owner.drainTimeout / 2
        let (problems, report) = AsyncStream<String?>.makeStream()
        Task {
            do throws(NATSError) {
                try await places.leave()
                report.yield(await give(await owner.openRooms(), owner, until: end))
            } catch {
                report.yield(error.description)
            }
        }
        // Nobody waits for what has begun then, as NATS may not answer for long.
        let timer = Task {
            try? await Task.sleep(until: end)
            report.yield("There was no time for all of them.")
        }
        defer { timer.cancel() }
        for await problem in problems {
            if let problem {
                logger.info("rooms stay without a server for a moment: \(problem)")
            }
            return
        }
    }

    /// Gives rooms to any other servers; what kept it from that.
    private func give(
        _ rooms: [String], _ owner: SyncServer, until end: ContinuousClock.Instant? = nil
    ) async -> String? {
        await withTaskGroup(of: String?.self) { group in
            var (rest, problem) = (rooms[...], String?.none)
            func add() {
                if let end, .now >= end { return }
                guard let room = rest.popFirst() else { return }
                group.addTask {
                    do throws(NATSError) {
                        try await self.give(room, to: nil, owner)
                        return nil
                    } catch {
                        return error.description
                    }
                }
            }
            // A few at a time, as each may write a snapshot.
            for _ in 0..<Self.movesAtOnce { add() }
            for await result in group {
                problem = problem ?? result
                add()
            }
            return problem ?? (rest.isEmpty ? nil : "There was no time for \(rest.count) of them.")
        }
    }

    private static let movesAtOnce = 16
}

extension ClusterNode: ServerCluster {
    package var entrance: ClusterEntrance {
        ClusterEntrance(
            host: place.listeningHost, name: place.host, port: place.port,
            isSecure: place.isSecure, key: key)
    }

    package var upstream: Upstream {
        Upstream(key: key, trusting: roots) { [weak self] room in
            guard let self, let places else { throw Self.notRunning }
            let server = try await places.server(of: room)
            // Whoever writes to NATS would be sent the key, and in the clear.
            guard !place.isSecure || server.address.hasPrefix("wss://") else {
                throw NATSError.violation("\(server.address) isn't encrypted, and this server is.")
            }
            return Upstream.Server(id: server.id, url: server.address)
        } reclaim: { [weak self] room, server in
            guard let self, !server.isSameText(as: id), let places else { return }
            // Who has the room is looked up again, whatever it says.
            let owner = ClusterServer(id: server, address: "")
            try? await places.ask(owner, toMove: room, to: id)
        }
    }

    /// Where the part with rooms keeps them.
    var journal: JournalProvider {
        var configuration = nats.configuration
        configuration.pingInterval = min(configuration.pingInterval, Self.pingInterval)
        let (layout, id, interval, logger) = (nats.layout, id, pulseInterval, logger)
        return JournalProvider(sharing: self) {
            [weak self, configuration] () throws(JournalError) in
            let store = try await JetStreamStore.open(
                configuration, layout, own: id, pulseInterval: interval
            ) { problem in logger.warning("waiting for NATS: \(problem)") }
            self?.store.withLock { $0 = store }
            return store
        }
    }

    /// How often NATS is asked whether it is there: when two answers are owed this server goes to
    /// another NATS server, mostly before others take it for gone.
    private static let pingInterval = Duration.seconds(1)

    package func begin(
        _ owner: SyncServer, of server: SyncServer,
        _ onRecovery: (@Sendable (RoomProgress) -> Void)?
    ) async throws(ServerError) {
        guard !hasBegun.exchange(true, ordering: .relaxed) else {
            throw ServerError(
                .alreadyStarted,
                "A cluster's node is of one server, which starts once; make another one.")
        }
        let url: String
        do throws(ServerError) {
            // What operators ask the part with rooms for is about both.
            url = try await owner.startAsPart(onRecovery) { [weak server] in
                try await server?.reload()
            }
        } catch {
            store.withLock { $0 = nil }
            // Nobody was told of it.
            hasBegun.store(false, ordering: .relaxed)
            throw error
        }
        let own = ClusterServer(id: id, address: place.announced(listeningAt: url))
        do throws(ServerError) { try await waitForStrangers(own) } catch {
            await owner.stop()
            store.withLock { $0 = nil }
            hasBegun.store(false, ordering: .relaxed)
            throw error
        }
        servers.withLock { $0 = Servers(owner: owner, front: server, own: own) }
        owner.setUnreadiness { [weak self, weak places = places] in
            places?.unreadiness ?? self?.lostStream
        }
        await places?.begin(as: own, key: fingerprint) { [weak self] event in
            // In another order than they came in, perhaps: nothing depends on it.
            Task { await self?.take(event) }
        }
    }

    private var fingerprint: String { key.fingerprint(in: nats.layout.name) }

    /// Waits until nobody is there who has another key: the others are to go on as they did, and
    /// when all of them are ended, to be started with a new key, this one is the first.
    private func waitForStrangers(_ own: ClusterServer) async throws(ServerError) {
        let end = ContinuousClock.now + patience
        var isSaid = false
        while let stranger = await places?.strangers(to: fingerprint).first {
            let problem = otherKey(stranger, own)
            guard .now < end else { throw ServerError(.clusterUnusable, problem) }
            if !isSaid { logger.error("waiting until it ends: \(problem)") }
            isSaid = true
        }
        // It would know of nobody, nor of itself.
        if let error = await places?.refusalOfPulses() {
            throw ServerError(.journalUnavailable, error.description)
        }
    }

    private func otherKey(_ stranger: ClusterServer, _ own: ClusterServer) -> String {
        "The server \(stranger.id) at \(stranger.address) has another key than this one, "
            + "\(own.id) at \(own.address): nobody gets from one to the rooms of the other. Give "
            + "all of them the same: --edge-key, ClusterNode(key:)."
    }

    package func end() async {
        let owner = servers.withLock { servers in
            defer { servers = nil }
            return servers?.owner
        }
        // First, so that others take over what it still has: the log refuses this server then.
        await places?.close()
        await owner?.stop()
        store.withLock { $0 = nil }
    }
}

/// Where the servers of a cluster reach one of them: `host:port`, `ws://host:port` or
/// `wss://host:port`; without one, at this machine's own address and any free port.
package struct NodeAddress: Sendable {
    /// What the others are told; port 0 stands for the one that it listens on.
    fileprivate let host: String
    package let port: Int
    package let isSecure: Bool

    package init(host: String = "127.0.0.1", port: Int = 0, isSecure: Bool = false) {
        self.host = host
        self.port = port
        self.isSecure = isSecure
    }

    /// Nil if it isn't that, or no address that others can reach.
    package init?(_ text: String) {
        let full = text.contains("://") ? text : "ws://\(text)"
        guard let url = ServerURL(full), url.path == "/" || url.path.isEmpty,
            full.hasSuffix(":\(url.port)") || full.hasSuffix(":\(url.port)/"),
            url.host != "0.0.0.0", url.host != "::"
        else { return nil }
        self.init(host: url.host, port: url.port, isSecure: url.isSecure)
    }

    /// Whether it leads every machine to itself.
    package var isLocal: Bool { HostName(address: host).isLocal }

    /// What to listen on: the address itself, and every one of the machine if it is a name.
    package var listeningHost: String {
        HostName(address: host).isAddress ? host : isLocal ? "127.0.0.1" : "0.0.0.0"
    }

    fileprivate func announced(listeningAt url: String) -> String {
        let port = ServerURL(url)?.port ?? port
        let host = host.contains(":") ? "[\(host)]" : host
        return "\(isSecure ? "wss" : "ws")://\(host):\(port)"
    }
}
