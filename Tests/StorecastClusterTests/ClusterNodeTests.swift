import Foundation
import StorecastClient
import StorecastDevtools
import StorecastNATS
import StorecastSync
import StorecastWebSocket
import Synchronization
import TestSupport
import Testing

@testable import StorecastCluster
@testable import StorecastNATS
@testable import StorecastServer

/// Servers of a cluster in one process, with `nats-server` at the other end.
@Suite(
    .enabled(if: NATSProcess.isThere, "needs .build/python: see the README's test command"),
    .timeLimit(.minutes(30)), .fewAtATime)
@MainActor struct ClusterNodeTests {
    private nonisolated static let token = "a token of the devtools' own"
    private nonisolated static let layout = JetStreamLayout(name: "test", streams: 2, replicas: 1)
    private nonisolated static let key = "0123456789abcdef"

    private nonisolated static func servers(
        _ nats: NATSProcess, as credentials: NATSCredentials = .none
    ) throws -> NATSServers {
        var servers = try NATSServers(nats.address, replicas: 1, credentials: credentials)
        servers.layout = layout
        return servers
    }

    /// A node with its servers.
    private struct Node: Sendable {
        let node: ClusterNode
        let server: ClusterServer
        let url: String
        let owner: SyncServer
        let front: SyncServer
        let reloads = Reloads()

        /// How often the server for clients has read its files again.
        final class Reloads: Sendable {
            private let number = Atomic(0)
            var count: Int { number.load(ordering: .relaxed) }
            func increase() { number.add(1, ordering: .relaxed) }
        }

        init(
            _ nats: NATSProcess, as credentials: NATSCredentials = .none,
            limits: SyncLimits = SyncLimits(), rules: DocumentRules? = nil
        ) async throws {
            node = ClusterNode(
                nats: try ClusterNodeTests.servers(nats, as: credentials),
                key: try EdgeKey(text: ClusterNodeTests.key), at: NodeAddress(),
                pulseInterval: .milliseconds(20))
            let room = JSONRoom.definition(initial: ["n": 0])
            let reloads = reloads
            front = SyncServer(
                port: 0, journal: .cluster(node), limits: limits,
                extensions: [.devtools(.token(ClusterNodeTests.token))],
                operations: OperationsAddress(port: 0),
                authentication: .custom { Identity($0.token ?? "nobody") },
                onReload: { _ in reloads.increase() }, rules: rules,
                rooms: { path in
                    guard path != "/none" else { return nil }
                    return rules.map { room.obeying($0, at: path) } ?? room.allowAll(.open)
                })
            owner = try #require(front.owner)
            url = try await front.start()
            server = ClusterServer(id: node.id, address: try #require(node.address))
        }

        /// What one of its metrics is; nil if there is none with this name and these labels.
        func metric(_ series: String) -> Double? {
            let lines = front.operations?.metrics.text().split(separator: "\n") ?? []
            return lines.first { $0.hasPrefix(series + " ") }
                .flatMap { Double($0.dropFirst(series.count + 1)) }
        }

        func connect(to room: String, as name: String = "ada") -> RemoteConnection {
            RemoteConnection(url.dropLast() + room, token: { name })
        }
    }

    private func increment(_ connection: RemoteConnection) async throws -> UInt64 {
        try await connection.dispatch(type: "increment", payload: ["path": "/n"]).outcome.version
    }

    /// A cluster, and an operator's view of it.
    private func withCluster(
        of count: Int, _ body: ([Node], ClusterView) async throws -> Void
    ) async throws {
        let nats = try await NATSProcess()
        var nodes: [Node] = []
        for _ in 0..<count { nodes.append(try await Node(nats)) }
        let view = try await ClusterView.open(try Self.servers(nats))
        #expect(try await Set(view.status().servers.map(\.id)) == Set(nodes.map(\.server.id)))
        try await body(nodes, view)
        await view.close()
        for node in nodes { await node.front.stop() }
    }

    @Test func `every server serves every room, and each room is one server's`() async throws {
        try await withCluster(of: 3) { nodes, view in
            let rooms = (0..<6).map { "/r\($0)" }
            for room in rooms {
                for (place, node) in nodes.enumerated() {
                    let connection = node.connect(to: room)
                    #expect(try await increment(connection) == UInt64(place + 1))
                    connection.close()
                }
            }
            let placed = try await view.status().rooms
            #expect(placed.map(\.path) == rooms)
            #expect(Set(nodes.map(\.server.id)).isSuperset(of: placed.compactMap(\.server)))
        }
    }

    @Test func `a room goes from server to server, and nobody's connection ends`() async throws {
        try await withCluster(of: 3) { nodes, view in
            let clients = nodes.map { $0.connect(to: "/r") }
            let statuses = clients.map(\.statuses)
            let mirrors = clients.map {
                RemoteStore(selection: "value", parameters: ["path": "/n"], on: $0)
            }
            var version = try await increment(clients[0])
            for node in nodes + nodes {
                _ = try await view.move("/r", to: nil)
                #expect(try await view.move("/r", to: node.server.id) == node.server)
                for client in clients {
                    version += 1
                    #expect(try await increment(client) == version)
                }
            }
            for mirror in mirrors {
                for await value in mirror.states where value == .int(Int64(version)) { break }
            }
            for client in clients { client.close() }
            for statuses in statuses {
                let seen = try await statuses.collected()
                #expect(
                    !seen.contains { if case .offline = $0 { true } else { false } }, "\(seen)")
            }
        }
    }

    @Test func `a server that is drained has no rooms and gets none, and serves on`() async throws {
        try await withCluster(of: 2) { nodes, view in
            let rooms = (0..<8).map { "/r\($0)" }
            let clients = rooms.map { nodes[0].connect(to: $0) }
            for client in clients { #expect(try await increment(client) == 1) }
            _ = try await view.drain(String(nodes[0].server.id.prefix(6)))
            #expect(try await view.status().rooms.allSatisfy { $0.server == nodes[1].server.id })
            for client in clients { #expect(try await increment(client) == 2) }
            let late = nodes[0].connect(to: "/late")
            #expect(try await increment(late) == 1)
            #expect(try await view.status().rooms.allSatisfy { $0.server == nodes[1].server.id })
            // Now nobody takes any.
            await #expect(
                throws: NATSError.refused("There is no other server that takes rooms.")
            ) { _ = try await view.drain(nodes[1].server.id) }
            for client in clients { #expect(try await increment(client) == 3) }
            let last = nodes[1].connect(to: "/last")
            #expect(try await increment(last) == 1)
            for client in clients + [late, last] { client.close() }
        }
    }

    @Test func `a server that has no time to give its rooms away says how many are left`()
        async throws
    {
        try await withCluster(of: 2) { nodes, _ in
            let clients = ["/a", "/b"].map { nodes[0].connect(to: $0) }
            for client in clients { #expect(try await increment(client) == 1) }
            for room in ["/a", "/b"] { try await nodes[0].node.move(room, to: nodes[0].server.id) }
            let owner = nodes[0].owner
            #expect(
                try await nodes[0].node.drain(owner, within: .zero)
                    == "There was no time for 2 of them.")
            #expect(try await nodes[0].node.drain(owner) == nil)
            for client in clients {
                #expect(try await increment(client) == 2)
                client.close()
            }
        }
    }

    @Test func `a server that is drained gives away also what it is given meanwhile`() async throws
    {
        let nats = try await NATSProcess()
        let nodes = [try await Node(nats), try await Node(nats)]
        let configuration = try NATSConfiguration(nats.address)
        let view = try await ClusterView.open(try Self.servers(nats))
        // Somebody who doesn't hear that it takes none.
        let loop = try EventLoop(name: "giver")
        let giver = await JetStream(on: loop, configuration)
        try await giver.connected(within: .seconds(60))
        let server = nodes[0].server
        // So many that it can't give all of them away at once.
        for number in 0..<60 {
            let written = await Self.give("/r\(number)", to: server, by: giver)
            guard case .kept = written else { throw TooLate(description: "\(written)") }
        }
        await giver.listen(to: Self.layout.place(of: "/r0")) { _ in
            Task { _ = await Self.give("/late", to: server, by: giver) }
        }
        _ = try await view.drain(server.id)
        let rooms = try await view.status().rooms
        #expect(rooms.map(\.path).contains("/late"))
        #expect(rooms.allSatisfy { $0.server == nodes[1].server.id })
        await giver.close()
        await loop.shutDown()
        await view.close()
        for node in nodes { await node.front.stop() }
    }

    @Test func `the status names no server for a room whose server is gone`() async throws {
        let nats = try await NATSProcess()
        let node = try await Node(nats)
        let view = try await ClusterView.open(try Self.servers(nats))
        let loop = try EventLoop(name: "giver")
        let giver = await JetStream(on: loop, try NATSConfiguration(nats.address))
        try await giver.connected(within: .seconds(60))
        let gone = ClusterServer(id: "gone", address: "ws://127.0.0.1:1")
        for (room, server) in [("/r", gone), ("/s", node.server)] {
            let written = await Self.give(room, to: server, by: giver)
            guard case .kept = written else { throw TooLate(description: "\(written)") }
        }
        #expect(
            try await view.status().rooms == [
                ClusterStatus.Room(path: "/r", server: nil),
                ClusterStatus.Room(path: "/s", server: node.server.id),
            ])
        await giver.close()
        await loop.shutDown()
        await view.close()
        await node.front.stop()
    }

    /// Writes that a server has a room, as others do.
    private nonisolated static func give(
        _ room: String, to server: ClusterServer, by giver: JetStream
    ) async -> JetStream.Written {
        let record =
            #"{"room":"\#(room)","server":"\#(server.id)","address":"\#(server.address)"}"#
        return await giver.write(
            Array(record.utf8), to: layout.place(of: room), headers: NATSHeaders(), behind: nil)
    }

    @Test func `of a room in which nothing happened nothing is kept when everybody has left`()
        async throws
    {
        try await withCluster(of: 2) { nodes, view in
            let (used, unused) = (nodes[0].connect(to: "/used"), nodes[0].connect(to: "/unused"))
            _ = try await increment(used)
            for await status in unused.statuses.limited where status == .live { break }
            let rooms = try await view.status().rooms.map(\.path)
            #expect(rooms == ["/unused", "/used"])
            for client in [used, unused] { client.close() }
            #expect(try await eventually { try await view.status().rooms.map(\.path) == ["/used"] })
        }
    }

    @Test func `a server that NATS doesn't let hear itself isn't ready for clients, until it does`()
        async throws
    {
        let nats = try await NATSProcess()
        let node = try await Node(nats)
        let metrics = node.front.configuration.metrics
        #expect(await eventually { metrics.unreadiness == nil })
        nats.send(SIGSTOP)
        #expect(
            await eventually {
                metrics.unreadiness?.contains("Nothing was heard of NATS for") == true
            })
        nats.send(SIGCONT)
        #expect(await eventually { metrics.unreadiness == nil })
        await node.front.stop()
    }

    @Test func `a server whose streams NATS has lost isn't ready, and doesn't make them itself`()
        async throws
    {
        let nats = try await NATSProcess()
        let node = try await Node(nats)
        let metrics = node.front.configuration.metrics
        #expect(await eventually { metrics.unreadiness == nil })
        let loop = try EventLoop(name: "eraser")
        let eraser = await JetStream(on: loop, try NATSConfiguration(nats.address))
        try await eraser.connected(within: .seconds(60))
        let (places, rooms) = (Self.layout.placeStream, Self.layout.stream(1))
        for stream in [rooms, places] {
            _ = try await eraser.ask(
                "$JS.API.STREAM.DELETE.\(stream)", [], timeout: .seconds(20))
        }
        #expect(
            await eventually {
                metrics.unreadiness
                    == "The part with the rooms: NATS has lost the stream '\(places)'."
            })
        await #expect(throws: NATSError.missing("JetStream refuses: stream not found.")) {
            _ = try await eraser.last(of: "x", in: places)
        }
        // Another server that is started makes them, and this one goes on.
        let other = try await Node(nats)
        #expect(await eventually { metrics.unreadiness == nil })
        let client = node.connect(to: "/r")
        #expect(try await increment(client) == 1)
        client.close()
        await eraser.close()
        await loop.shutDown()
        for node in [node, other] { await node.front.stop() }
    }

    @Test func `a server that stops leaves its rooms to others, whose clients notice nothing`()
        async throws
    {
        let nats = try await NATSProcess()
        let nodes = [try await Node(nats), try await Node(nats)]
        let rooms = (0..<8).map { "/r\($0)" }
        let clients = rooms.map { nodes[1].connect(to: $0) }
        let statuses = clients.map(\.statuses)
        for client in clients { #expect(try await increment(client) == 1) }
        await nodes[0].front.stop()
        for client in clients { #expect(try await increment(client) == 2) }
        for client in clients { client.close() }
        for statuses in statuses {
            let seen = try await statuses.collected()
            #expect(!seen.contains { if case .offline = $0 { true } else { false } }, "\(seen)")
        }
        await nodes[1].front.stop()
    }

    /// As those to a machine do that only NATS can't reach.
    @Test func `who is gone is left for another server, though connections to it still work`()
        async throws
    {
        let nats = try await NATSProcess()
        let other = SyncServer(
            port: 0, edgeKey: try EdgeKey(text: Self.key),
            rooms: { _ in JSONRoom.definition(initial: ["n": 0]).allowAll(.open) })
        let server = ClusterServer(id: "other", address: String(try await other.start().dropLast()))
        let (loop, jetStream) = try await connect(to: nats)
        let places = RoomPlaces(jetStream, Self.layout, interval: .milliseconds(20))
        try await places.prepare()
        await places.begin(as: server) { _ in }
        #expect(await eventually { await places.servers.count == 1 })
        #expect(try await places.server(of: "/r") == server)
        let node = try await Node(nats)
        let client = node.connect(to: "/r")
        #expect(try await increment(client) == 1)
        #expect(await other.hasRoom("/r"))
        let owner = node.owner
        #expect(await !owner.hasRoom("/r"))
        // It says so to NATS alone.
        await places.close()
        #expect(await eventually { await owner.hasRoom("/r") })
        _ = try await increment(client)
        let rooms = try await node.node.status().rooms
        #expect(rooms == [ClusterStatus.Room(path: "/r", server: node.server.id)])
        client.close()
        await node.front.stop()
        await other.stop()
        await jetStream.close()
        await loop.shutDown()
    }

    @Test func `a server whose links are encrypted shows its key to none that doesn't encrypt`()
        async throws
    {
        let nats = try await NATSProcess()
        let certificates = try TestCertificates()
        let node = ClusterNode(
            nats: try Self.servers(nats), key: try EdgeKey(text: Self.key),
            at: NodeAddress(isSecure: true), trusting: certificates.root,
            pulseInterval: .milliseconds(100))
        let server = SyncServer(
            port: 0,
            certificate: try TLSCertificate(
                file: certificates.certificate, keyFile: certificates.key),
            journal: .cluster(node), rooms: { _ in nil })
        _ = try await server.start()
        #expect(node.address?.hasPrefix("wss://127.0.0.1:") == true)
        let (loop, jetStream) = try await connect(to: nats)
        var others: [RoomPlaces] = []
        for scheme in ["ws", "wss"] {
            let other = RoomPlaces(jetStream, Self.layout, interval: .milliseconds(20))
            let own = ClusterServer(id: scheme, address: "\(scheme)://127.0.0.1:1")
            await other.begin(as: own) { _ in }
            others.append(other)
            let written = await Self.give("/\(scheme)", to: own, by: jetStream)
            guard case .kept = written else { throw TooLate(description: "\(written)") }
        }
        #expect(await eventually { (try? await node.status())?.servers.count == 3 })
        let upstream = node.upstream
        await #expect(
            throws: NATSError.violation("ws://127.0.0.1:1 isn't encrypted, and this server is.")
        ) { try await upstream.find("/ws") }
        let place = try await upstream.find("/wss")
        #expect(place.url == "wss://127.0.0.1:1" && place.server == "wss")
        #expect(place.configuration.tls)
        #expect(place.configuration.certificateAuthorityFile == certificates.root)
        for other in others { await other.close() }
        await jetStream.close()
        await loop.shutDown()
        await server.stop()
    }

    /// A connection to NATS of the test's own.
    private func connect(to nats: NATSProcess) async throws -> (EventLoop, JetStream) {
        let loop = try EventLoop(name: "test")
        let jetStream = await JetStream(on: loop, try NATSConfiguration(nats.address))
        try await jetStream.connected(within: .seconds(60))
        return (loop, jetStream)
    }

    @Test func `a server that can't give its rooms away leaves when the time for that is over`()
        async throws
    {
        let nats = try await NATSProcess()
        var limits = SyncLimits()
        limits.drainTimeout = .milliseconds(200)
        let nodes = [try await Node(nats, limits: limits), try await Node(nats)]
        for node in nodes {
            #expect(await eventually { (try? await node.node.status())?.servers.count == 2 })
        }
        let client = nodes[0].connect(to: "/r")
        #expect(try await increment(client) == 1)
        #expect(try await nodes[0].node.move("/r", to: nodes[0].server.id) == nodes[0].server.id)
        #expect(try await increment(client) == 2)
        nats.send(SIGSTOP)
        let time = await ContinuousClock().measure { await nodes[0].node.leave() }
        nats.send(SIGCONT)
        // NATS alone has five seconds to answer, each time that it is asked.
        #expect(time < .seconds(5))
        client.close()
        for node in nodes { await node.front.stop() }
    }

    @Test func `a server that stops is given no rooms any more by the time that it gives its own`()
        async throws
    {
        let nats = try await NATSProcess()
        let nodes = [try await Node(nats), try await Node(nats)]
        for node in nodes {
            #expect(await eventually { (try? await node.node.status())?.servers.count == 2 })
        }
        await nodes[0].node.leave()
        let isSeen = await eventually {
            let servers = (try? await nodes[1].node.status())?.servers ?? []
            return servers.contains { $0.id == nodes[0].server.id && $0.isDrained }
        }
        #expect(isSeen)
        for node in nodes { await node.front.stop() }
    }

    @Test func `rules that are read again hold wherever the room is`() async throws {
        let directory = try TemporaryDirectory()
        let file = directory.file("rules.json")
        func write(_ right: String) throws {
            try Data(
                #"{"rules": [{"roles": ["$everybody"], "read": [""], "\#(right)": [""]}]}"#.utf8
            )
            .write(to: URL(filePath: file))
        }
        try write("write")
        let rules = try DocumentRules(file: file)
        let nats = try await NATSProcess()
        let node = try await Node(nats, rules: rules)
        let client = node.connect(to: "/r")
        #expect(try await increment(client) == 1)
        try write("append")
        try await node.front.reload()
        await #expect(throws: Rejection.self) { try await increment(client) }
        try write("write")
        try await node.front.reload()
        #expect(try await increment(client) == 2)
        client.close()
        await node.front.stop()
    }

    @Test func `when the part with rooms is to read its files again, both parts do`() async throws {
        try await withCluster(of: 1) { nodes, _ in
            // As its devtools ask it.
            let home = try #require(nodes[0].owner.home(of: "/"))
            let result: Result<Void, any Error> = await withCheckedContinuation { continuation in
                home.perform { core in core.reload { continuation.resume(returning: $0) } }
            }
            try result.get()
            #expect(nodes[0].reloads.count == 1)
        }
    }

    @Test func `whom the server with the room has revoked isn't let in through others`()
        async throws
    {
        try await withCluster(of: 2) { nodes, view in
            let (ada, bob) = (nodes[0].connect(to: "/r"), nodes[1].connect(to: "/r", as: "bob"))
            _ = try await increment(ada)
            _ = try await increment(bob)
            let holder = try await view.status().rooms.last?.server
            let owner = try #require(nodes.first { $0.server.id == holder }).owner
            #expect(owner.configuration.revocations.add("ada"))
            #expect(await owner.revoke(Identity("ada")) == 1)
            for await status in ada.statuses {
                if case .closed(let rejection) = status {
                    #expect(rejection?.code == .forbidden)
                    break
                }
            }
            #expect(try await increment(bob) == 3)
            bob.close()
        }
    }

    @Test func `a server's metrics say what it has of the cluster, and what became of its rooms`()
        async throws
    {
        try await withCluster(of: 2) { nodes, view in
            let client = nodes[0].connect(to: "/r")
            _ = try await increment(client)
            let holder = try await view.status().rooms.first?.server
            let place = try #require(nodes.firstIndex { $0.server.id == holder })
            let (own, other) = (nodes[place], nodes[1 - place])
            func become(
                _ value: @escaping (Double) -> Bool, _ name: String, of node: Node,
                _ part: String = #"{part="owner"}"#
            ) async -> Bool {
                await eventually { node.metric(name + part).map(value) == true }
            }
            #expect(await become({ $0 == 2 }, "storecast_cluster_servers", of: own))
            #expect(await become({ $0 < 3 }, "storecast_cluster_pulse_age_seconds", of: own))
            #expect(await become({ $0 == 1 }, "storecast_nats_connected", of: own))
            #expect(own.metric(#"storecast_nats_reconnects_total{part="owner"}"#) == 0)
            // The journal's times are those of NATS.
            #expect(await become({ $0 > 0 }, "storecast_journal_append_seconds_count", of: own))
            #expect(own.metric(#"storecast_takeover_seconds_count{part="owner"}"#) == 0)
            // The servers for clients pass it on.
            let upstream = "storecast_upstream_rooms"
            #expect(await become({ $0 == 1 }, upstream, of: nodes[0], #"{state="live"}"#))
            _ = try await view.move("/r", to: other.server.id)
            _ = try await increment(client)
            #expect(await become({ $0 == 1 }, "storecast_rooms_left_total", of: own))
            #expect(await become({ $0 == 1 }, "storecast_takeover_seconds_count", of: other))
            client.close()
        }
    }

    @Test func `the devtools of each server show who has which room`() async throws {
        try await withCluster(of: 2) { nodes, view in
            let client = nodes[0].connect(to: "/r")
            _ = try await increment(client)
            let holder = try #require(try await view.status().rooms.first?.server)
            for node in nodes {
                let devtools = RemoteConnection(
                    node.server.address + "/devtools", token: { Self.token })
                let store = RemoteStore(selection: "cluster", parameters: nil, on: devtools)
                var seen = JSON.null
                for await answer in store.states where answer["total"] == 1 {
                    seen = answer
                    break
                }
                #expect(seen["rooms"]?[0]?["room"] == "/r")
                #expect(seen["rooms"]?[0]?["server"]?.string == holder)
                let servers = seen["servers"]?.array ?? []
                #expect(
                    Set(servers.compactMap { $0["address"]?.string })
                        == Set(nodes.map { $0.server.address }))
                for server in servers {
                    let isHolder = server["id"]?.string == holder
                    #expect(server["rooms"]?.int == (isHolder ? 1 : 0))
                    #expect(server["isOwn"]?.bool == (server["id"]?.string == node.server.id))
                    #expect(server["isDrained"] == false)
                }
                devtools.close()
            }
            client.close()
        }
    }

    // MARK: By the server's own code

    @Test func `a server says who has which room, and gives rooms away`() async throws {
        try await withCluster(of: 2) { nodes, _ in
            let client = nodes[0].connect(to: "/r")
            #expect(try await increment(client) == 1)
            let status = try await nodes[0].node.status()
            #expect(status.servers.map(\.id) == nodes.map(\.server.id).sorted())
            #expect(status.servers.map(\.rooms).reduce(0, +) == 1)
            let room = try #require(status.rooms.first)
            #expect(room.path == "/r")
            let holder = try #require(nodes.first { $0.server.id == room.server })
            let other = try #require(nodes.first { $0.server.id != room.server })
            // Whoever is asked, it is the one that has the room which gives it away.
            #expect(
                try await other.node.move("/r", to: String(other.server.id.prefix(8)))
                    == other.server.id)
            #expect(try await increment(client) == 2)
            try await other.node.drain()
            let now = try await holder.node.status()
            #expect(now.rooms == [ClusterStatus.Room(path: "/r", server: holder.server.id)])
            #expect(now.servers.filter(\.isDrained).map(\.id) == [other.server.id])
            #expect(try await increment(client) == 3)
            let error = await #expect(throws: ServerError.self) {
                try await holder.node.move("/s")
            }
            #expect(error?.code == .clusterRefused)
            #expect(error?.description == "Nobody has the room '/s'.")
            client.close()
        }
    }

    @Test func `a server gives away its own rooms without asking for that at NATS`() async throws {
        let nats = try await NATSProcess(
            """
            authorization {
                users: [{
                    user: server, password: secret
                    permissions: { publish: { deny: "test.requests.*" } }
                }]
            }
            """)
        let proof = NATSCredentials.user("server", password: "secret")
        let nodes = [try await Node(nats, as: proof), try await Node(nats, as: proof)]
        for node in nodes {
            #expect(await eventually { (try? await node.node.status())?.servers.count == 2 })
        }
        let client = nodes[0].connect(to: "/r")
        #expect(try await increment(client) == 1)
        let room = try #require(try await nodes[0].node.status().rooms.first)
        let holder = try #require(nodes.first { $0.server.id == room.server })
        let other = try #require(nodes.first { $0.server.id != room.server })
        #expect(try await holder.node.move("/r") == other.server.id)
        #expect(try await increment(client) == 2)
        try await other.node.drain()
        #expect(try await other.node.status().rooms.map(\.server) == [holder.server.id])
        #expect(try await increment(client) == 3)
        client.close()
        for node in nodes { await node.front.stop() }
    }

    @Test func `a server that may not hear others doesn't start`() async throws {
        let nats = try await NATSProcess(
            """
            authorization {
                users: [{
                    user: server, password: secret
                    permissions: { subscribe: { deny: "test.pulses" } }
                }]
            }
            """)
        let error = await #expect(throws: ServerError.self) {
            try await Node(nats, as: .user("server", password: "secret"))
        }
        #expect(error?.code == .journalUnavailable)
        #expect(error?.description.lowercased().contains("subscription to \"test.pulses\"") == true)
    }

    @Test func `a server that doesn't run can't be asked, and a node is of one server`()
        async throws
    {
        let nats = try await NATSProcess()
        let first = try await Node(nats)
        let second = SyncServer(port: 0, journal: .cluster(first.node), rooms: { _ in nil })
        var error = await #expect(throws: ServerError.self) { try await second.start() }
        #expect(error?.code == .alreadyStarted)
        // The first one doesn't notice.
        let client = first.connect(to: "/r")
        #expect(try await increment(client) == 1)
        client.close()
        await first.front.stop()
        #expect(first.node.address == nil)
        error = await #expect(throws: ServerError.self) { try await first.node.status() }
        #expect(error?.code == .notRunning)
    }

    @Test func `a server whose front can't listen leaves nothing of the other part`() async throws {
        let nats = try await NATSProcess()
        let held = try HeldPort()
        let node = ClusterNode(
            nats: try Self.servers(nats), key: try EdgeKey(text: Self.key), at: NodeAddress(),
            pulseInterval: .milliseconds(20))
        let server = SyncServer(
            port: held.number, journal: .cluster(node), rooms: { _ in nil })
        let error = await #expect(throws: ServerError.self) { try await server.start() }
        #expect(error?.code == .cannotListen)
        #expect(node.address == nil)
        let view = try await ClusterView.open(try Self.servers(nats))
        // Not even the streams are there: whether it can listen is looked at first.
        await #expect(throws: NATSError.self) { try await view.status() }
        await view.close()
    }

    @Test func `a server whose front can't start in the end leaves nothing of the other part`()
        async throws
    {
        let nats = try await NATSProcess()
        let held = try HeldPort()
        let node = ClusterNode(
            nats: try Self.servers(nats), key: try EdgeKey(text: Self.key), at: NodeAddress(),
            pulseInterval: .milliseconds(20))
        let server = SyncServer(
            port: 0, journal: .cluster(node), operations: OperationsAddress(port: held.number),
            rooms: { _ in nil })
        let error = await #expect(throws: ServerError.self) { try await server.start() }
        #expect(error?.code == .cannotListen)
        #expect(node.address == nil)
        let view = try await ClusterView.open(try Self.servers(nats))
        #expect(try await view.status().servers.isEmpty)
        await view.close()
    }

    @Test func `a server with another key waits for the others to end, and doesn't start before`()
        async throws
    {
        let nats = try await NATSProcess()
        let first = try await Node(nats)
        func other(patience: Duration) throws -> ClusterNode {
            ClusterNode(
                nats: try Self.servers(nats), key: try EdgeKey(text: "another key of others"),
                at: NodeAddress(), pulseInterval: .milliseconds(200), patience: patience)
        }
        let refused = try other(patience: .zero)
        let server = SyncServer(port: 0, journal: .cluster(refused), rooms: { _ in nil })
        let error = await #expect(throws: ServerError.self) { try await server.start() }
        #expect(error?.code == .clusterUnusable)
        let place = "\(first.server.id) at \(first.server.address)"
        #expect(error?.description.contains(place) == true)
        #expect(error?.description.contains("\(refused.id) at ws://") == true)
        #expect(error?.description.contains("another key of others") == false)
        #expect(refused.address == nil)
        // What it listened at for the others is free again.
        let told = error?.description.split(separator: "\(refused.id) at ws://").last ?? ""
        let digits = told.drop { $0 != ":" }.dropFirst().prefix { $0.isNumber }
        let next = SyncServer(port: try #require(Int(digits)), rooms: { _ in nil })
        _ = try await next.start()
        await next.stop()
        let client = first.connect(to: "/r")
        #expect(try await increment(client) == 1)
        client.close()
        // As when a new key is given to all.
        let waiting = SyncServer(
            port: 0, journal: .cluster(try other(patience: .seconds(60))), rooms: { _ in nil })
        async let url = waiting.start()
        await first.front.stop()
        #expect(try await url.hasPrefix("ws://"))
        await waiting.stop()
    }

    @Test func `a room of a server that doesn't serve it goes to one that does`() async throws {
        let nats = try await NATSProcess()
        let first = try await Node(nats)
        let node = ClusterNode(
            nats: try Self.servers(nats), key: try EdgeKey(text: Self.key), at: NodeAddress(),
            pulseInterval: .milliseconds(20))
        let other = SyncServer(port: 0, journal: .cluster(node), rooms: { _ in nil })
        let url = try await other.start()
        #expect(await eventually { (try? await first.node.status())?.servers.count == 2 })
        let client = first.connect(to: "/r")
        #expect(try await increment(client) == 1)
        #expect(try await first.node.move("/r", to: node.id) == node.id)
        #expect(try await increment(client) == 2)
        #expect(
            try await first.node.status().rooms
                == [ClusterStatus.Room(path: "/r", server: first.node.id)])
        // It says so to its own clients, and for good.
        let lost = RemoteConnection(url + "r")
        var last: Rejection?
        for await status in lost.statuses.limited {
            guard case .closed(let rejection) = status else { continue }
            last = rejection
            break
        }
        #expect(last?.code == Rejection.Code("no-room"))
        lost.close()
        client.close()
        await first.front.stop()
        await other.stop()
    }

    @Test func `nobody is given a room that isn't one`() async throws {
        try await withCluster(of: 1) { nodes, view in
            for path in ["/none", "/devtools"] {
                let client = nodes[0].connect(to: path)
                var last: Rejection?
                for await status in client.statuses.limited {
                    guard case .closed(let rejection) = status else { continue }
                    last = rejection
                    break
                }
                #expect(last != nil)
                client.close()
            }
            let rooms = try await view.status().rooms
            #expect(rooms.isEmpty)
        }
    }

    @Test func `who serves people without names has open rooms, at whichever server`() async throws
    {
        let nats = try await NATSProcess()
        let node = ClusterNode(
            nats: try Self.servers(nats), key: try EdgeKey(text: Self.key), at: NodeAddress(),
            pulseInterval: .milliseconds(20))
        let room = JSONRoom.definition(initial: ["n": 0])
        let server = SyncServer(port: 0, journal: .cluster(node), rooms: { _ in room })
        let url = try await server.start()
        let client = RemoteConnection(url + "r")
        #expect(try await increment(client) == 1)
        // Its own code has no rooms, as they may be another's at the next moment.
        let error = await #expect(throws: ServerError.self) {
            try await server.room("/r", of: SharedDocument.self)
        }
        #expect(error?.code == .noRoom)
        client.close()
        await server.stop()
    }

    @Test func `a server is as well as the part of it that has rooms`() async throws {
        try await withCluster(of: 1) { nodes, _ in
            let (front, owner) = (nodes[0].front, nodes[0].owner)
            let metrics = front.configuration.metrics
            #expect(await eventually { metrics.unreadiness == nil })
            owner.configuration.metrics.stops()
            #expect(metrics.unreadiness == "The part with the rooms: The server stops.")
        }
    }

    @Test func `rooms of one server are at NATS, and another one goes on with them`() async throws {
        let nats = try await NATSProcess()
        let servers = try Self.servers(nats)
        let room = JSONRoom.definition(initial: ["n": 0])
        for version in 1...2 as ClosedRange<UInt64> {
            let server = SyncServer(port: 0, journal: .nats(servers), rooms: { _ in room })
            let client = RemoteConnection(try await server.start() + "r")
            #expect(try await increment(client) == version)
            client.close()
            await server.stop()
        }
    }

    @Test func `an operator hears what can't be done`() async throws {
        try await withCluster(of: 2) { nodes, view in
            let client = nodes[0].connect(to: "/r")
            _ = try await increment(client)
            await #expect(throws: NATSError.refused("Nobody has the room '/s'.")) {
                _ = try await view.move("/s", to: nil)
            }
            await #expect(
                throws: NATSError.refused(
                    "Nobody has the room 'r'. A path begins with a slash: '/r'.")
            ) { _ = try await view.move("r", to: nil) }
            await #expect(throws: NATSError.refused("There is no server 'x'.")) {
                _ = try await view.move("/r", to: "x")
            }
            await #expect(throws: NATSError.refused("There is no server ''.")) {
                _ = try await view.drain("")
            }
            client.close()
        }
    }

    @Test func `a server is called by its id, or a beginning of that which no other id has`()
        async throws
    {
        let nats = try await NATSProcess()
        let (loop, jetStream) = try await connect(to: nats)
        var all: [RoomPlaces] = []
        for id in ["ab1", "ab2", "b"] {
            let places = RoomPlaces(jetStream, Self.layout, interval: .milliseconds(20))
            try await places.prepare()
            await places.begin(as: ClusterServer(id: id, address: "ws://\(id):1")) { _ in }
            all.append(places)
        }
        let places = all[0]
        #expect(await eventually { await places.servers.count == 3 })
        for id in ["ab1", "ab2", "b"] {
            #expect(try await places.server(withID: id).id == id)
        }
        _ = try await places.server(of: "/r")
        for (name, problem) in [
            ("ab", "'ab' may be ab1 or ab2."), ("a", "'a' may be ab1 or ab2."),
            ("", "There is no server ''."), ("AB1", "There is no server 'AB1'."),
            ("ab11", "There is no server 'ab11'."),
        ] {
            let refusal = NATSError.refused(problem)
            await #expect(throws: refusal) { _ = try await places.server(withID: name) }
            await #expect(throws: refusal) { _ = try await places.drain(name) }
            await #expect(throws: refusal) { _ = try await places.move("/r", to: name) }
        }
        for places in all { await places.close() }
        await jetStream.close()
        await loop.shutDown()
    }

    @Test(arguments: [
        ("10.0.0.1:7", "10.0.0.1"), ("ws://[::1]:7", "::1"), ("wss://core.example:7", "0.0.0.0"),
        ("localhost:7", "127.0.0.1"),
    ])
    func `a server listens at its address, or everywhere if that is a name`(
        text: String, host: String
    ) throws {
        let address = try #require(NodeAddress(text))
        #expect(address.listeningHost == host && address.port == 7)
        #expect(address.isSecure == text.hasPrefix("wss"))
    }

    @Test(arguments: [
        ("10.0.0.1:7", "ws://10.0.0.1:8"), ("ws://[fd00::1]:7", "ws://[fd00::1]:8"),
        ("wss://core.example:7", "wss://core.example:8"),
    ])
    func `others are told the address, with the port at which a server listens`(
        text: String, told: String
    ) throws {
        let address = try #require(NodeAddress(text))
        #expect(address.announced(listeningAt: "ws://0.0.0.0:8/") == told)
    }

    @Test(arguments: ["", "a", "a b:1", "http://a:1", "a:1/x", "a:1?x", "0.0.0.0:1", "[::]:1"])
    func `what is no address isn't taken for one`(text: String) {
        #expect(NodeAddress(text) == nil)
    }
}
