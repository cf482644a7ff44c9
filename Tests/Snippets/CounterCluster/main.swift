// snippet: program
import Counter
import Foundation
import Logging
import StorecastClient
import StorecastCluster

// First: what is made from here on logs there.
LoggingSystem.bootstrap { JSONLogHandler(label: $0) }

let node = try ClusterNode(
    nats: NATSServers("nats://n1,nats://n2,nats://n3"), key: EdgeKey(file: "cluster.key"),
    address: "10.0.0.11:9091")
let room = Counter.room.allow(Increase.self, .roles("editor", "timer")).allow(Counter.total, .open)
let server = SyncServer(
    host: "0.0.0.0", journal: .cluster(node), operations: OperationsAddress(port: 9464), room: room,
    authentication: .tokens(file: "tokens.json"))

/// Counts each minute, once in the cluster: at the server that has the room then.
@Sendable func count() async throws {
    let token = ProcessInfo.processInfo.environment["TIMER_TOKEN"] ?? ""
    let connection = RemoteConnection("ws://127.0.0.1:9090/", token: { token })
    while true {
        try await Task.sleep(for: .seconds(60))
        let rooms = (try? await node.status().rooms) ?? []
        guard rooms.contains(where: { $0.path == "/" && $0.server == node.id }) else { continue }
        _ = try? await connection.dispatch(Increase()).outcome
    }
}

await server.main { url in
    print("listening on \(url)")
    Task { try await count() }
}
// end of snippet
