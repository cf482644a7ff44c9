import Logging
import StorecastMirror
import StorecastNATS
package import StorecastServer
import StorecastWebSocket
import StorecastWire
import Synchronization

/// What the server asks of the cluster that it is one of.
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

    func otherKey(_ stranger: ClusterServer, _ own: ClusterServer) -> String {
        "The server \(stranger.id) at \(stranger.address) has another key than this one, "
            + "\(own.id) at \(own.address): neither can reach the other's rooms. Give all "
            + "servers the same key: --edge-key, ClusterNode(key:)."
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

    /// Where others reach a server that listens at a URL.
    package func announced(listeningAt url: String) -> String {
        let port = ServerURL(url)?.port ?? port
        return "\(isSecure ? "wss" : "ws")://\(host.asURLHost):\(port)"
    }
}
