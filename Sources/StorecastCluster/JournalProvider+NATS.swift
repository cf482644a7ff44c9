import Logging
import StorecastNATS
@_exported public import StorecastServer

extension JournalProvider {
    /// At NATS JetStream, so that another server goes on with the rooms when this one has ended.
    ///
    /// ```swift
    /// try await SyncServer(journal: .nats(try NATSServers("nats://n1,nats://n2,nats://n3")), …).run()
    /// ```
    /// For one server at a time: servers that don't know of one another take a room from one
    /// another whenever somebody asks for it. Nothing is lost then, but it is of no use; for servers
    /// that share rooms there is ``cluster(_:)``. The journal decides who writes a room, and
    /// refuses a server that another one has replaced without its noticing.
    ///
    /// An action is acknowledged when it is on as many NATS servers as `servers` says: about 1.4 ms
    /// with three of them on one machine. Starting the server takes as long as connecting, half a
    /// minute at most, and throws `ServerError.Code.journalUnavailable` if NATS can't be reached, is
    /// too old, or keeps a stream less well than it should.
    public static func nats(_ servers: NATSServers) -> JournalProvider {
        let logger = Logger(label: "storecast.nats").safe
        return .jetStream(servers.configuration, servers.layout) { problem in
            logger.warning("waiting for NATS: \(problem)")
        }
    }

    /// At NATS JetStream, with the rooms shared among servers: each has some, and serves all.
    ///
    /// ```swift
    /// let node = try ClusterNode(nats: nats, key: key, address: "10.0.0.11:9091")
    /// await SyncServer(host: "0.0.0.0", journal: .cluster(node), rooms: rooms).main()
    /// ```
    /// The server is made, run and stopped as any other one. In it are two: what clients connect to
    /// is an edge of whichever server has their room; the other part has rooms, and lets in nobody
    /// but the cluster's servers, at the node's address. So nobody's connection ends when a room goes
    /// from one server to another.
    ///
    /// - `rooms`, rules, limits and who clients are have to be the same at all servers.
    /// - Extensions, such as the devtools, are about the rooms that a server has, at the node's
    ///   address.
    /// - Metrics of the part with rooms have the label `part="owner"`, and so have lines of its log.
    ///   `/healthz` and `/readyz` speak for both parts.
    /// - Starting takes a good second longer than with ``nats(_:)``, and throws the same. While
    ///   servers are there that have another key it waits, and throws
    ///   `ServerError.Code.clusterUnusable` after half a minute.
    ///
    /// - Parameter node: of this server alone.
    public static func cluster(_ node: ClusterNode) -> JournalProvider { node.journal }
}
