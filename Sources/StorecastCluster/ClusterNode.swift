package import Logging
import StorecastMirror
package import StorecastNATS
package import StorecastRoom
package import StorecastServer
import StorecastSync
import StorecastWire
import Synchronization

/// A server of a cluster, whose servers share rooms that are kept at NATS.
///
/// It is two servers in one process. One has rooms, those that ``RoomPlaces`` says are its own, and
/// lets in nobody but edges; the other is an edge, for clients, of whichever server has the room
/// that they want. So nobody's connection ends when a room goes from one server to another: edges
/// connect to the new one, and go on.
package final class ClusterNode: Sendable {
    /// What makes the two.
    package struct Parts {
        /// Where the one with rooms keeps them.
        package var journal: JournalProvider
        /// Who the other is an edge of.
        package var upstream: Upstream
    }

    private let id: String
    private let address: NodeAddress
    private let store = Mutex<JetStreamStore?>(nil)
    private let servers = Mutex<(owner: SyncServer, front: SyncServer)?>(nil)
    private let logger: Logger
    /// How often it was asked, since it last began, to look up who has the rooms that it has; 0 if
    /// it doesn't do that now.
    private let checks = Atomic(0)

    /// - Parameter address: where the others reach it.
    package init(at address: NodeAddress, logger: Logger = Logger(label: "storecast.cluster")) {
        self.address = address
        // What others call themselves is theirs to say, and may be said again and again.
        self.logger = logger.safe.withoutRepetition
        var random = SystemRandomNumberGenerator()
        id = String(randomID(using: &random).prefix(12))
    }

    /// What its servers are made with.
    ///
    /// - Parameters:
    ///   - key: what all servers of the cluster have.
    ///   - roots: a file of root certificates (PEM) to trust in place of the system's.
    package func parts(
        at nats: NATSConfiguration, _ layout: JetStreamLayout, key: EdgeKey,
        trusting roots: String?,
        pulseInterval: Duration = .milliseconds(500)
    ) -> Parts {
        var nats = nats
        nats.pingInterval = min(nats.pingInterval, Self.pingInterval)
        let journal = JournalProvider { [weak self, id, nats] () throws(JournalError) in
            let store = try await JetStreamStore.open(
                nats, layout, own: id, pulseInterval: pulseInterval)
            self?.store.withLock { $0 = store }
            return store
        }
        let upstream = Upstream(key: key, trusting: roots) { [weak self] room in
            guard let self, let places else { throw Self.notRunning }
            let server = try await places.server(of: room)
            // Whoever writes to NATS would be sent the key, and in the clear.
            guard !address.isSecure || server.address.hasPrefix("wss://") else {
                throw NATSError.violation("\(server.address) isn't encrypted, and this server is.")
            }
            return Upstream.Server(id: server.id, url: server.address)
        }
        return Parts(journal: journal, upstream: upstream)
    }

    /// How often NATS is asked whether it is there: when two answers are owed this server goes to
    /// another NATS server, mostly before others take it for gone.
    private static let pingInterval = Duration.seconds(1)

    /// Serves until SIGINT, SIGTERM or the task's cancellation; gives its rooms to others then, and
    /// says goodbye to everyone.
    ///
    /// - Parameters:
    ///   - owner: the server that has rooms, which listens at this node's address.
    ///   - front: the one for clients.
    ///   - onListening: called with the URL of `front` and this node's id and address.
    package func run(
        owner: SyncServer, front: SyncServer,
        onListening: @Sendable (_ url: String, _ node: ClusterServer) -> Void
    ) async throws(ServerError) {
        let node = try await begin(owner, front)
        let result: Result<Void, ServerError>
        do throws(ServerError) {
            try await front.run(
                onRecovery: nil, onListening: { onListening($0, node) }, beforeStop: giveOpen)
            result = .success(())
        } catch {
            result = .failure(error)
        }
        await end()
        try result.get()
    }

    /// Starts to serve; returns the URL of `front`, and this node's id and address.
    package func start(
        owner: SyncServer, front: SyncServer
    ) async throws(ServerError) -> (url: String, node: ClusterServer) {
        let node = try await begin(owner, front)
        do throws(ServerError) { return (try await front.start(), node) } catch {
            await end()
            throw error
        }
    }

    /// Gives its rooms to others, says goodbye to everyone and frees everything.
    package func stop() async {
        await giveOpen()
        await servers.withLock { $0 }?.front.stop()
        await end()
    }

    private func begin(
        _ owner: SyncServer, _ front: SyncServer
    ) async throws(ServerError) -> ClusterServer {
        // What operators ask the one for is about both.
        let url = try await owner.startUnlogged { [weak front] in try await front?.reload() }
        let node = ClusterServer(id: id, address: address.announced(listeningAt: url))
        servers.withLock { $0 = (owner, front) }
        front.setUnreadiness { [weak places = places] in places?.unreadiness }
        await places?.begin(as: node) { [weak self] event in
            // In another order than they came in, perhaps: nothing depends on it.
            Task { await self?.take(event) }
        }
        return node
    }

    private func end() async {
        let owner = servers.withLock { servers in
            defer { servers = nil }
            return servers?.owner
        }
        // First, so that others take over what it still has: the log refuses this server then.
        await places?.close()
        await owner?.stop()
        store.withLock { $0 = nil }
    }

    /// Has the server with rooms read again what it goes by, and take the other's limits.
    package func reloadOwner() async throws {
        guard let (owner, front) = servers.withLock({ $0 }) else { return }
        if let limits = await front.limits { await owner.setLimits(limits.ofOwner) }
        try await owner.reload()
    }

    private var places: RoomPlaces? { store.withLock { $0 }?.places }

    private static var notRunning: NATSError { .unavailable("The server doesn't run.") }

    private func take(_ event: RoomPlaces.Event) async {
        guard let (owner, front) = servers.withLock({ $0 }) else { return }
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

    /// Leaves the rooms that were given to other servers.
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

    /// Leaves a room that was given to another server; whether it was, nil if that can't be asked.
    private func leaveIfLost(_ room: String, _ owner: SyncServer) async -> Bool? {
        let holder: ClusterServer?
        do throws(NATSError) { holder = try await places?.holder(of: room) } catch { return nil }
        guard let holder, !holder.id.isSameText(as: id) else { return false }
        await leave(room, to: holder, owner)
        return true
    }

    private func leave(_ room: String, to server: ClusterServer, _ owner: SyncServer) async {
        await owner.leave(room, "It goes to the server \(server.id) at \(server.address).")
    }

    private func give(
        _ room: String, to: String?, _ owner: SyncServer
    ) async throws(NATSError) {
        guard let places else { throw Self.notRunning }
        // So that the next one reads little of the log.
        await owner.prepareToLeave(room)
        let server = try await places.give(room, to: to)
        if !server.id.isSameText(as: id) { await leave(room, to: server, owner) }
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
    private func giveOpen() async {
        guard let owner = servers.withLock({ $0 })?.owner, let places else { return }
        let problem: String?
        do throws(NATSError) {
            try await places.leave()
            problem = await give(
                await owner.openRooms(), owner, until: .now + owner.drainTimeout / 2)
        } catch {
            problem = error.description
        }
        if let problem {
            logger.info("rooms stay without a server for a moment: \(problem)")
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

/// Where the servers of a cluster reach one of them: `host:port`, `ws://host:port` or
/// `wss://host:port`; without one, at this machine's own address and any free port.
package struct NodeAddress: Sendable {
    /// What the others are told; port 0 stands for the one that it listens on.
    private let host: String
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

    /// What to listen on: the address itself, and every one of the machine if it is a name.
    package var listeningHost: String {
        let name = HostName(address: host)
        return name.isAddress ? host : name.isLocal ? "127.0.0.1" : "0.0.0.0"
    }

    fileprivate func announced(listeningAt url: String) -> String {
        let port = ServerURL(url)?.port ?? port
        let host = host.contains(":") ? "[\(host)]" : host
        return "\(isSecure ? "wss" : "ws")://\(host):\(port)"
    }
}

extension SyncLimits {
    /// Those of a server whose connections are other servers: each of them speaks for many clients,
    /// and has bounds on what they send itself.
    package var ofOwner: SyncLimits {
        var limits = self
        limits.connectionsPerAddress = limits.connections
        limits.addressRate = .unlimited
        return limits
    }
}
