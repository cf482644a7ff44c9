import Foundation
import StorecastClient
import StorecastRoom
import StorecastWebSocket
import Synchronization
import Testing
import TestSupport

@testable import StorecastServer

/// Servers that pass on the rooms of another one, over sockets.
@Suite(.timeLimit(.minutes(30)), .fewAtATime)
struct EdgeTests {
    private static let secret = "0123456789abcdef"

    private func key(_ text: String = secret) throws -> EdgeKey { try EdgeKey(text: text) }

    @Test func `clients of an edge and of its owner share rooms, whatever loops these live on`()
        async throws
    {
        let owner = SyncServer(
            port: 0, loops: 2, edgeKey: try key(), rooms: { $0 == "/none" ? nil : Tallies.room })
        let url = try await owner.start()
        let edge = SyncServer(
            port: 0, loops: 2, upstream: try Upstream(String(url.dropLast()), key: try key()))
        let edgeURL = try await edge.start()
        // Some of these names want encoding.
        for path in ["/a", "/b/c", "/d é%", "/e+f;g"] {
            let encoded = try #require(
                path.addingPercentEncoding(withAllowedCharacters: .alphanumerics.union(["/"])))
            let near = RemoteConnection(edgeURL.at(encoded))
            let far = RemoteConnection(url.at(encoded))
            #expect(try await near.dispatch(Add(number: 2)).outcome.version == 1, "\(path)")
            #expect(try await far.dispatch(Add(number: 3)).outcome.version == 2)
            #expect(try await near.dispatch(Add(number: 4)).outcome.version == 3)
            let name = try #require(encoded.removingPercentEncoding)
            let room = try await owner.room(name, of: Tallies.self)
            #expect(try await room.withStore { $0.state.count } == 9)
            near.close()
            far.close()
        }
        let lost = RemoteConnection(edgeURL.at("/none"))
        #expect(await lost.end()?.code == Rejection.Code("no-room"))
        await edge.stop()
        await owner.stop()
    }

    @Test func `the longest name of a room is passed on, and a longer one is refused at an edge`()
        async throws
    {
        let owner = SyncServer(port: 0, edgeKey: try key(), rooms: { _ in Tallies.room })
        let url = try await owner.start()
        let edge = SyncServer(
            port: 0, upstream: try Upstream(String(url.dropLast()), key: try key()))
        let edgeURL = try await edge.start()
        // Each takes three bytes of the request to the owner.
        let longest = "/" + String(repeating: "(", count: RoomPath.longestName - 1)
        let client = RemoteConnection(edgeURL.at(longest))
        #expect(try await client.dispatch(Add(number: 2)).outcome.version == 1)
        client.close()
        let lost = RemoteConnection(edgeURL.at(longest + "("))
        #expect(await lost.end()?.code == Rejection.Code("no-room"))
        await edge.stop()
        await owner.stop()
    }

    @Test func `an edge has its clients wait for an owner that isn't there yet`() async throws {
        // Nobody else gets it before the owner does.
        let port = try HeldPort(isShared: true)
        let edge = SyncServer(
            port: 0, upstream: try Upstream("ws://127.0.0.1:\(port.number)", key: try key()))
        let client = RemoteConnection(try await edge.start())
        let dispatch = client.dispatch(Add(number: 2))
        let owner = SyncServer(port: port.number, room: Tallies.room, edgeKey: try key())
        _ = try await owner.start()
        withExtendedLifetime(port) {}
        #expect(try await dispatch.outcome.version == 1)
        client.close()
        await edge.stop()
        await owner.stop()
    }

    @Test func `what an owner said at the end of a connection isn't said at the end of the next`()
        async throws
    {
        let owner = SyncServer(port: 0, room: Tallies.room, edgeKey: try key())
        let url = try await owner.start()
        let (logger, messages) = MessageLog.make()
        let edge = SyncServer(
            port: 0, logger: logger, upstream: try Upstream(String(url.dropLast()), key: try key()))
        let client = RemoteConnection(try await edge.start())
        _ = try await client.dispatch(Add(number: 1)).outcome
        let home = try #require(owner.home(of: "/"))
        await home.hangUp(saying: "The owner rests.")
        #expect(await messages.contains("upstream is away: The owner rests."))
        #expect(await messages.contains("upstream is back"))
        // By what it takes for the owner's last word it also waits before it connects again.
        await home.hangUp(saying: nil)
        #expect(await messages.contains("upstream is away: it ended the connection, 1001"))
        client.close()
        await edge.stop()
        await owner.stop()
    }

    @Test func `of an owner that goes and comes back little is logged, however many rooms it has`()
        async throws
    {
        let port = try HeldPort(isShared: true)
        func owner() throws -> SyncServer {
            SyncServer(port: port.number, edgeKey: try key(), rooms: { _ in Tallies.room })
        }
        let before = try owner()
        let url = try await before.start()
        let (logger, messages) = MessageLog.make()
        let edge = SyncServer(
            port: 0, loops: 2, logger: logger,
            upstream: try Upstream(String(url.dropLast()), key: try key()))
        let edgeURL = try await edge.start()
        let clients = (0..<18).map { RemoteConnection(edgeURL.at("/\($0)")) }
        for client in clients { #expect(await client.isLive()) }
        await before.stop()
        let after = try owner()
        _ = try await after.start()
        withExtendedLifetime(port) {}
        var away = 0
        for await message in messages {
            if message.hasPrefix("upstream is away") { away += 1 }
            if message == "upstream is back" { break }
        }
        // Another line may say more of why, ten seconds later.
        #expect(1...3 ~= away)
        for client in clients { #expect(await client.isLive()) }
        for client in clients { client.close() }
        await edge.stop()
        await after.stop()
    }

    @Test func `an owner is back when the rooms that are left have it, whatever others missed it`()
        async throws
    {
        let port = try HeldPort(isShared: true)
        func owner() throws -> SyncServer {
            SyncServer(port: port.number, edgeKey: try key(), rooms: { _ in Tallies.room })
        }
        let before = try owner()
        let url = try await before.start()
        let (logger, messages) = MessageLog.make()
        var limits = SyncLimits()
        limits.unloadAfter = .milliseconds(1)
        let edge = SyncServer(
            port: 0, limits: limits, logger: logger, operations: OperationsAddress(port: 0),
            upstream: try Upstream(String(url.dropLast()), key: try key()))
        let edgeURL = try await edge.start()
        let clients = ["/a", "/b"].map { RemoteConnection(edgeURL.at($0)) }
        for client in clients { #expect(await client.isLive()) }
        let metrics = try #require(edge.operations?.metrics)
        func areWaiting(_ count: Int) async -> Bool {
            let line = #"storecast_upstream_rooms{state="waiting"} \#(count)"# + "\n"
            return await eventually { metrics.text().contains(line) }
        }
        await before.stop()
        #expect(await areWaiting(2))
        clients[0].close()
        #expect(await areWaiting(1))
        let after = try owner()
        _ = try await after.start()
        withExtendedLifetime(port) {}
        #expect(await messages.contains("upstream is back"))
        clients[1].close()
        await edge.stop()
        await after.stop()
    }

    @Test func `an edge measures how far it is behind its owner, and for how long that is away`()
        async throws
    {
        let owner = SyncServer(port: 0, room: Tallies.room, edgeKey: try key())
        let url = try await owner.start()
        let edge = SyncServer(
            port: 0, operations: OperationsAddress(port: 0),
            upstream: try Upstream(String(url.dropLast()), key: try key()))
        let client = RemoteConnection(try await edge.start())
        #expect(await client.isLive())
        let metrics = try #require(edge.operations).metrics
        func shows(_ line: String) async -> Bool {
            await eventually { metrics.text().contains(line + "\n") }
        }
        func showsNoMore(_ line: String) async -> Bool {
            await eventually { !metrics.text().contains(line + "\n") }
        }
        #expect(await shows(#"storecast_upstream_rooms{state="live"} 1"#))
        #expect(await shows(#"storecast_upstream_rooms{state="waiting"} 0"#))
        #expect(await shows("storecast_upstream_silence_seconds 0"))
        #expect(await showsNoMore("storecast_upstream_round_trip_seconds_count 0"))
        await owner.stop()
        #expect(await shows(#"storecast_upstream_rooms{state="waiting"} 1"#))
        #expect(await showsNoMore("storecast_upstream_silence_seconds 0"))
        client.close()
        await edge.stop()
    }

    @Test func `of many rooms each owner is asked in its turn, and a few at a time`() async throws {
        let owner = SyncServer(port: 0, edgeKey: try key(), rooms: { _ in Tallies.room })
        let url = try await owner.start()
        let edge = SyncServer(
            port: 0, upstream: try Upstream(String(url.dropLast()), key: try key()))
        let edgeURL = try await edge.start()
        var clients: [RemoteConnection] = []
        for number in 0..<40 { clients.append(RemoteConnection(edgeURL.at("/\(number)"))) }
        for client in clients { #expect(await client.isLive()) }
        let home = try #require(edge.home(of: "/0"))
        var owing: [Int]?
        // When no answer is on its way, as they are also asked each second.
        _ = await eventually {
            owing = await home.owingOwners()
            return owing != nil
        }
        #expect(owing == [16, 32, 40])
        for client in clients { client.close() }
        await edge.stop()
        await owner.stop()
    }

    @Test func `an owner that is said to be gone is left only for another`() async throws {
        var owners: [SyncServer] = []
        var servers: [Upstream.Server] = []
        for number in 0..<2 {
            let owner = SyncServer(port: 0, room: Tallies.room, edgeKey: try key())
            let url = String(try await owner.start().dropLast())
            servers.append(Upstream.Server(id: "s\(number)", url: url))
            owners.append(owner)
        }
        let homes = try owners.map { try #require($0.home(of: "/")) }
        let directory = Directory(servers[0])
        let edge = SyncServer(
            port: 0, upstream: Upstream(key: try key()) { _ in try directory.find() })
        let client = RemoteConnection(try await edge.start())
        #expect(try await client.dispatch(Add(number: 1)).outcome.version == 1)
        let connections = await homes[0].connections
        // It is where it was; or that can't be found out.
        for server in [servers[0], nil] {
            let before = directory.questions
            directory.set(server)
            await edge.upstreamEnded("s0")
            #expect(await eventually { directory.questions > before })
            _ = try await client.dispatch(Add(number: 1)).outcome
            #expect(await homes[0].connections == connections)
        }
        // It is asked again by itself.
        directory.set(servers[1])
        #expect(await eventually { await !homes[1].connections.isEmpty })
        #expect(await eventually { await homes[0].connections.isEmpty })
        client.close()
        await edge.stop()
        for owner in owners { await owner.stop() }
    }

    @Test func `an owner that was started anew at its address is another`() async throws {
        let owner = SyncServer(port: 0, room: Tallies.room, edgeKey: try key())
        let url = String(try await owner.start().dropLast())
        let home = try #require(owner.home(of: "/"))
        let directory = Directory(Upstream.Server(id: "before", url: url))
        let edge = SyncServer(
            port: 0, upstream: Upstream(key: try key()) { _ in try directory.find() },
            rooms: { _ in nil })
        let client = RemoteConnection(try await edge.start())
        #expect(try await client.dispatch(Add(number: 1)).outcome.version == 1)
        let connections = await home.connections
        // Of the process that was there before the connection looks as if it worked.
        directory.set(Upstream.Server(id: "after", url: url))
        await edge.upstreamEnded("before")
        #expect(
            await eventually {
                let now = await home.connections
                return !now.isEmpty && now != connections
            })
        #expect(try await client.dispatch(Add(number: 1)).outcome.version == 2)
        // That it is gone is no news of the one that is there now.
        let questions = directory.questions
        await edge.upstreamEnded("before")
        _ = try await client.dispatch(Add(number: 1)).outcome
        #expect(directory.questions == questions)
        client.close()
        await edge.stop()
        await owner.stop()
    }

    /// Says which server is the owner of rooms.
    private final class Directory: Sendable {
        private struct State {
            var server: Upstream.Server?
            var questions = 0
        }

        private let state: Mutex<State>

        init(_ server: Upstream.Server) { state = Mutex(State(server: server)) }

        var questions: Int { state.withLock(\.questions) }

        func set(_ server: Upstream.Server?) { state.withLock { $0.server = server } }

        func find() throws -> Upstream.Server {
            let server = state.withLock { state in
                state.questions += 1
                return state.server
            }
            guard let server else { throw TooLate(description: "Nobody knows.") }
            return server
        }
    }

    @Test func `the address of an upstream may have a path before those of rooms`() throws {
        func path(_ url: String, _ room: String) throws -> String {
            try #require(Upstream(url, key: key()).place(of: room)).configuration.path
        }
        #expect(try path("ws://a", "/") == "/")
        #expect(try path("wss://a/", "/b") == "/b")
        #expect(try path("wss://a:7/core/", "/b c/é") == "/core/b%20c/%C3%A9")
        let configuration = try #require(
            Upstream("wss://a:7", key: key()).place(of: "/")
        ).configuration
        #expect(configuration.tls && configuration.host == "a" && configuration.port == 7)
    }

    @Test func `an edge speaks the protocol to its owner, takes large values and trusts its roots`()
        throws
    {
        let plain = try Upstream("ws://a", key: key())
        let place = try #require(plain.place(of: "/"))
        #expect(place.server == "" && place.url == "" && plain.reclaim == nil)
        #expect(!place.configuration.tls && place.configuration.port == 80)
        #expect(place.configuration.subprotocols == ["storecast.v1"])
        #expect(place.configuration.maxMessageBytes == 128 << 20)
        #expect(place.configuration.certificateAuthorityFile == nil)
        let trusting = try Upstream("wss://a//", key: key(), trusting: "roots.pem")
        let secure = try #require(trusting.place(of: "/a~b-c_d.e/F:g\u{1}")).configuration
        #expect(secure.certificateAuthorityFile == "roots.pem" && secure.port == 443)
        #expect(secure.path == "/a~b-c_d.e/F%3Ag%01")
    }

    @Test func `of several owners the one is asked for, and has to have an address`() async throws {
        let upstream = Upstream(key: try key(), trusting: "roots.pem") { room in
            if room == "/wrong" { return Upstream.Server(id: "w", url: "nowhere") }
            return Upstream.Server(id: "s of \(room)", url: "ws://a:7/core")
        }
        #expect(upstream.place(of: "/") == nil && upstream.reclaim == nil)
        let place = try await upstream.find("/b")
        #expect(place.server == "s of /b" && place.url == "ws://a:7/core")
        #expect(place.configuration.path == "/core/b" && place.configuration.port == 7)
        #expect(place.configuration.certificateAuthorityFile == "roots.pem")
        let error = await #expect(throws: ServerError.self) { try await upstream.find("/wrong") }
        #expect(error?.code == .upstreamUnusable)
    }

    @Test func `an edge of some rooms refuses the others, and has none for its own code`()
        async throws
    {
        let owner = SyncServer(port: 0, edgeKey: try key(), rooms: { _ in Tallies.room })
        let url = try await owner.start()
        let edge = SyncServer(
            port: 0, upstream: try Upstream(String(url.dropLast()), key: try key()),
            paths: try RoomPatterns(["/a/*"]))
        let edgeURL = try await edge.start()
        let lost = RemoteConnection(edgeURL.at("/b"))
        let end = await lost.end()
        #expect(end?.code == Rejection.Code("no-room"))
        #expect(end?.title == "There is no room at '/b'; there are: /a/*.")
        #expect(await !owner.hasRoom("/b"))
        let client = RemoteConnection(edgeURL.at("/a/b"))
        #expect(try await client.dispatch(Add(number: 1)).outcome.version == 1)
        #expect(await owner.hasRoom("/a/b"))
        let error = await #expect(throws: ServerError.self) {
            try await edge.room("/a/b", of: Tallies.self)
        }
        #expect(error?.code == .noRoom)
        #expect(error?.description.contains("'/a/b' is another server's") == true)
        client.close()
        await edge.stop()
        await owner.stop()
    }

    @Test func `one of several owners that doesn't serve a room is asked to give it back`()
        async throws
    {
        let owner = SyncServer(port: 0, edgeKey: try key(), rooms: { _ in nil })
        let url = String(try await owner.start().dropLast())
        let (asked, ask) = AsyncStream<String>.makeStream()
        let (logger, messages) = MessageLog.make()
        let edge = SyncServer(
            port: 0, logger: logger,
            upstream: Upstream(
                key: try key(), find: { _ in Upstream.Server(id: "s1", url: url) },
                reclaim: { room, server in ask.yield("\(room) of \(server)") }))
        let client = RemoteConnection(try await edge.start().at("/a"))
        let first = await asked.limited.first { _ in true }
        #expect(first == "/a of s1")
        let start = "the server s1 at \(url) was given a room"
        let line = await messages.first { $0.hasPrefix(start) }
        #expect(line?.contains("--rooms and --json") == true)
        client.close()
        await edge.stop()
        await owner.stop()
    }

    @Test func `one of several owners that doesn't let an edge in is named`() async throws {
        let owner = SyncServer(port: 0, room: Tallies.room, edgeKey: try key())
        let url = String(try await owner.start().dropLast())
        let (logger, messages) = MessageLog.make()
        let edge = SyncServer(
            port: 0, logger: logger,
            upstream: Upstream(key: try key(Self.secret + "!")) { _ in
                Upstream.Server(id: "s1", url: url)
            })
        let client = RemoteConnection(try await edge.start())
        let line = await messages.first { $0.contains("the server s1 at \(url)") }
        #expect(line != nil)
        client.close()
        await edge.stop()
        await owner.stop()
    }

    @Test func `nobody is let into an extension's room by the key of edges`() async throws {
        let owner = SyncServer(
            port: 0, extensions: [ServerExtension(path: "/own") { _ in Nobody() }],
            edgeKey: try key(), rooms: { _ in Tallies.room })
        _ = try await owner.start()
        let home = try #require(owner.home(of: "/"))
        #expect(await home.admitsEdge(Self.secret, to: "/a"))
        #expect(await !home.admitsEdge(Self.secret, to: "/own"))
        #expect(await !home.admitsEdge(Self.secret + "0", to: "/a"))
        #expect(await !home.admitsEdge(nil, to: "/a"))
        await owner.stop()
        let closed = SyncServer(port: 0, room: Tallies.room)
        _ = try await closed.start()
        #expect(await closed.home(of: "/")?.admitsEdge(nil, to: "/") == false)
        await closed.stop()
    }

    /// An extension that has no people.
    private final class Nobody: LoopExtension {
        func makeRoom(_ context: RoomContext) -> any AnyRoom { Tallies.room.open(context) }
        func identity(token: String?) -> Result<Identity, Rejection> {
            .failure(Rejection(.unauthenticated, "Nobody."))
        }
        func opened(
            _ connection: UInt64, _ credentials: Credentials
        ) -> (any ConnectionObserver)? { nil }
        func closed(_ connection: UInt64) {}
        func unloaded(_ room: any AnyRoom) {}
    }

    @Test(arguments: ["a", "http://a", "ws://", "ws://a?b", "ws://u@a"])
    func `what is no address of a server isn't taken for one`(url: String) throws {
        let key = try key()
        let error = #expect(throws: ServerError.self) { try Upstream(url, key: key) }
        #expect(error?.code == .upstreamUnusable)
        // Before an @ there may be a password.
        #expect(error?.description.contains("'\(url)'") == !url.contains("@"))
    }

    @Test func `a key is long, without the white space around it, and isn't shown`() throws {
        let directory = try TemporaryDirectory()
        func key(of text: String) throws -> EdgeKey {
            let file = directory.file("key")
            try Data(text.utf8).write(to: URL(filePath: file))
            return try EdgeKey(file: file)
        }
        let key = try key(of: " \t\(Self.secret)\n")
        #expect(key.matches(Self.secret))
        #expect(!key.matches(nil) && !key.matches("") && !key.matches(Self.secret + "\n"))
        #expect(!key.matches("0123456789abcdeF"))
        #expect("\(key)" == "EdgeKey")
        var dumped = ""
        dump(try Upstream("ws://a", key: key), to: &dumped)
        dump(MirroredRoom.Credentials(key: Self.secret, client: "a"), to: &dumped)
        #expect(!dumped.contains(Self.secret))
        for text in [
            "", "0123456789abcde", "  0123456789abcde  ", String(repeating: "x", count: 1025),
        ] {
            let error = #expect(throws: ServerError.self) { try EdgeKey(text: text.trimmed) }
            #expect(error?.code == .edgeKeyUnusable)
            #expect(throws: ServerError.self) { _ = try self.read(text, directory) }
        }
        let error = #expect(throws: ServerError.self) {
            try EdgeKey(file: directory.file("none"))
        }
        #expect(error?.description.contains("can't be read") == true)
    }

    @Test func `servers of a cluster see that keys are different, and nothing of the keys`() throws
    {
        let (own, other) = (try key(), try key(Self.secret + "!"))
        #expect(try own.fingerprint(in: "storecast") == key().fingerprint(in: "storecast"))
        #expect(own.fingerprint(in: "storecast") != other.fingerprint(in: "storecast"))
        #expect(own.fingerprint(in: "storecast") != own.fingerprint(in: "other"))
        #expect(own.fingerprint(in: "storecast").utf8.count == 8)
    }

    private func read(_ text: String, _ directory: TemporaryDirectory) throws -> EdgeKey {
        let file = directory.file("other")
        try Data(text.utf8).write(to: URL(filePath: file))
        return try EdgeKey(file: file)
    }
}

extension String {
    fileprivate var trimmed: String { trimmingCharacters(in: .whitespaces) }
}

extension ServerLoop {
    /// The ids of the connections to the loop's rooms.
    fileprivate var connections: [UInt64] { core?.links.keys.sorted() ?? [] }

    /// Whether an edge that shows this key is let in.
    fileprivate func admitsEdge(_ key: String?, to room: String) -> Bool {
        core?.admitsEdge(key, to: room) == true
    }

    /// Asks owners three times; how many owe an answer after each. Nil if some do already.
    fileprivate func owingOwners() -> [Int]? {
        guard let core else { return nil }
        func count() -> Int {
            core.rooms.rooms.values.count { $0.gauges.upstream?.silentSince != nil }
        }
        guard count() == 0 else { return nil }
        core.unasked = []
        return (0..<3).map { _ in
            core.askOwners()
            return count()
        }
    }

    /// Ends the connections to the loop's rooms, and says why, or nothing.
    fileprivate func hangUp(saying title: String?) {
        for (_, link) in core?.links ?? [:] {
            if let title {
                link.session?.close(.goingAway, title)
            } else {
                link.close(.goingAway, reason: "", behind: [])
            }
        }
    }
}
