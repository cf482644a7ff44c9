import Counter
import StorecastCluster

/// What `Cluster.md` shows: programs whose servers share rooms, or pass on those of others.
func serveInCluster() async throws {
    // snippet: cluster
    let node = try ClusterNode(
        nats: NATSServers("nats://n1,nats://n2,nats://n3"), key: EdgeKey(file: "cluster.key"),
        address: "10.0.0.11:9091")
    let server = SyncServer(
        host: "0.0.0.0", journal: .cluster(node), room: Counter.room.allowAll(.signedIn),
        authentication: .tokens(file: "tokens.json"))
    await server.main()
    // end of snippet
}

func giveRoomsAway(_ node: ClusterNode) async throws {
    // snippet: cluster-operations
    for server in try await node.status().servers {
        print(server.id, server.address, server.rooms)
    }
    try await node.move("/", to: "4f0c2a91d3e6")  // from whichever server has it
    try await node.drain()  // this one has no rooms then
    // end of snippet
}

func passOn() async throws {
    // snippet: edge
    let core = try Upstream("wss://core.example", key: EdgeKey(file: "edge.key"))
    await SyncServer(host: "0.0.0.0", upstream: core).main()
    // end of snippet
}

func keepAtNATS() async throws {
    // snippet: nats
    let nats = try NATSServers(
        "tls://n1,tls://n2,tls://n3", name: "counter", credentials: .file("counter.creds"),
        trusting: "ca.pem")
    await SyncServer(journal: .nats(nats), room: Counter.room).main()
    // end of snippet
}
