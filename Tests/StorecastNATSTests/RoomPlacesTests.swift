import Foundation
import StorecastRoom
import StorecastTesting
import StorecastWebSocket
import Synchronization
import TestSupport
import Testing

@testable import StorecastNATS

/// Who has which room, with `nats-server` at the other end.
@Suite(
    .enabled(if: NATSProcess.isThere, "needs .build/python: see the README's test command"),
    .timeLimit(.minutes(30)), .fewAtATime)
struct RoomPlacesTests {
    private static let layout = JetStreamLayout(name: "test", streams: 1, replicas: 1)

    /// A server of the cluster, without rooms.
    private final class Node: Sendable {
        let server: ClusterServer
        let places: RoomPlaces
        private let loop: EventLoop
        private let jetStream: JetStream
        let events = Mutex<[String]>([])
        /// What it answers operators.
        let answer = Mutex<String?>(nil)

        init(
            _ id: String, _ nats: NATSProcess, address: String? = nil, key: String? = nil,
            interval: Duration = .milliseconds(20)
        ) async throws {
            server = ClusterServer(id: id, address: address ?? "ws://\(id):1")
            loop = try EventLoop(name: id)
            jetStream = await JetStream(
                on: loop, try NATSConfiguration(nats.address), timeout: .seconds(20))
            try await jetStream.connected(within: .seconds(60))
            places = RoomPlaces(
                jetStream, RoomPlacesTests.layout, interval: interval)
            try await places.prepare()
            await places.begin(as: server, key: key) { [weak self] event in self?.take(event) }
        }

        private func take(_ event: RoomPlaces.Event) {
            let answered = answer.withLock { $0 }
            let text: String
            switch event {
            case .gone(let server): text = "gone \(server.id)"
            case .placed(let room, let server): text = "placed \(room) \(server.id)"
            case .check: text = "check"
            case .double(let server): text = "double \(server.id)"
            case .stranger(let server): text = "stranger \(server.id)"
            case .move(let room, let to, let answer):
                text = "move \(room) \(to ?? "anywhere")"
                answer(answered)
            case .drain(let answer):
                text = "drain"
                answer(answered)
            }
            events.withLock { $0.append(text) }
        }

        func hears(_ event: String) async -> Bool {
            await eventually { events.withLock { $0.contains(event) } }
        }

        /// Waits until it knows that these are there.
        func knows(_ ids: Set<String>) async -> Bool {
            await eventually { await Set(places.servers.map(\.server.id)) == ids }
        }

        func end() async {
            await places.close()
            await cut()
        }

        /// Ends it without a word to the others.
        func cut() async {
            await jetStream.close()
            await loop.shutDown()
        }
    }

    private func nodes(_ ids: [String], _ nats: NATSProcess) async throws -> [Node] {
        var nodes: [Node] = []
        for id in ids { nodes.append(try await Node(id, nats)) }
        for node in nodes { #expect(await node.knows(Set(ids))) }
        return nodes
    }

    @Test func `a room that many are asked for at once is given once`() async throws {
        let nats = try await NATSProcess()
        let nodes = try await nodes(["a", "b", "c"], nats)
        for room in ["/", "/a", "/b.c d/é"] {
            let answers = try await withThrowingTaskGroup(of: ClusterServer.self) { group in
                for node in nodes { group.addTask { try await node.places.server(of: room) } }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            #expect(Set(answers).count == 1)
            #expect(nodes.map(\.server).contains(answers[0]))
        }
        let all = try await nodes[0].places.all()
        #expect(all.map(\.room) == ["/", "/a", "/b.c d/é"])
        for node in nodes { await node.end() }
    }

    @Test func `the rooms of one that is gone are given to those that are there`() async throws {
        let nats = try await NATSProcess()
        let nodes = try await nodes(["a", "b", "c"], nats)
        let rooms = (0..<12).map { "/\($0)" }
        var before: [String: ClusterServer] = [:]
        for room in rooms { before[room] = try await nodes[0].places.server(of: room) }
        #expect(Set(before.values) == Set(nodes.map(\.server)))
        await nodes[2].cut()
        #expect(await nodes[0].hears("gone c"))
        #expect(await nodes[1].hears("gone c"))
        for room in rooms {
            let now = try await nodes[1].places.server(of: room)
            #expect(now != nodes[2].server)
            if before[room] != nodes[2].server {
                #expect(now == before[room], "Nobody else loses a room.")
            }
        }
        for node in nodes[..<2] { await node.end() }
    }

    @Test func `one that has just come waits to see whether who has a room is there`()
        async throws
    {
        let nats = try await NATSProcess()
        let old = try await Node("a", nats)
        #expect(await old.knows(["a"]))
        #expect(try await old.places.server(of: "/") == old.server)
        // It hasn't heard "a", and must not take the room from it.
        let new = try await Node("b", nats)
        #expect(try await new.places.server(of: "/") == old.server)
        await old.cut()
        #expect(await new.hears("gone a"))
        await new.cut()
        let last = try await Node("c", nats)
        #expect(try await last.places.server(of: "/") == last.server, "Both are gone.")
        await last.end()
    }

    @Test func `one that was started anew at its address goes on without waiting`() async throws {
        let nats = try await NATSProcess()
        let old = try await Node("a", nats, address: "ws://here:1")
        #expect(await old.knows(["a"]))
        #expect(try await old.places.server(of: "/") == old.server)
        await old.cut()
        let new = try await Node("b", nats, address: "ws://here:1")
        #expect(await new.knows(["b"]))
        #expect(try await new.places.server(of: "/") == new.server)
        await new.end()
    }

    @Test func `a room is given by who has it, to one that takes rooms`() async throws {
        let nats = try await NATSProcess()
        let nodes = try await nodes(["a", "b", "c"], nats)
        let owner = try await nodes[0].places.server(of: "/")
        let place = try #require(nodes.firstIndex { $0.server == owner })
        let (own, next, last) = (nodes[place], nodes[(place + 1) % 3], nodes[(place + 2) % 3])
        await #expect(throws: NATSError.unavailable("Another server has the room '/'.")) {
            try await next.places.give("/", to: last.server.id)
        }
        await #expect(throws: NATSError.unavailable("Nobody has the room '/b'.")) {
            try await own.places.give("/b")
        }
        await #expect(throws: NATSError.unavailable("There is no server 'x'.")) {
            try await own.places.give("/", to: "x")
        }
        try await last.places.leave()
        #expect(
            await eventually {
                await own.places.servers.contains { $0.server == last.server && $0.isLeaving }
            })
        await #expect(
            throws: NATSError.unavailable(
                "The server '\(last.server.id)' was drained, and takes no rooms.")
        ) { try await own.places.give("/", to: last.server.id) }
        #expect(try await own.places.give("/") == next.server)
        for node in nodes {
            let now = try await node.places.server(of: "/")
            #expect(now == next.server)
        }
        #expect(await own.hears("placed / \(next.server.id)"))
        #expect(await own.knows(["a", "b", "c"]), "Who leaves is there until it ends.")
        // It would give it to the first, but another has it already.
        #expect(try await last.places.give("/") == next.server)
        try await own.places.leave()
        #expect(
            await eventually {
                await next.places.servers.contains { $0.server == own.server && $0.isLeaving }
            })
        await #expect(throws: NATSError.unavailable("There is no other server that takes rooms.")) {
            try await next.places.leave()
        }
        for node in nodes { await node.end() }
    }

    @Test func `a server knows how many there are, and how long ago it heard itself`()
        async throws
    {
        let nats = try await NATSProcess()
        let nodes = try await nodes(["a", "b"], nats)
        #expect(await eventually { nodes[0].places.link?.servers == 2 })
        func age() -> Duration { nodes[0].places.link?.pulseAge ?? .seconds(3600) }
        #expect(await eventually { age() < .milliseconds(500) })
        nats.send(SIGSTOP)
        #expect(await eventually { age() >= .milliseconds(500) })
        nats.send(SIGCONT)
        #expect(await eventually { age() < .milliseconds(500) })
        for node in nodes { await node.end() }
    }

    @Test func `an operator is shown all servers, and who has which room`() async throws {
        let nats = try await NATSProcess()
        let old = try await Node("a", nats)
        #expect(await old.knows(["a"]))
        for room in ["/2", "/1"] {
            #expect(try await old.places.server(of: room) == old.server)
        }
        let store = try await JetStreamStore.open(
            try NATSConfiguration(nats.address), Self.layout, own: "b",
            pulseInterval: .milliseconds(20))
        let places = try #require(store.places)
        await places.begin(as: ClusterServer(id: "b", address: "ws://b:1")) { _ in }
        #expect(await eventually { await places.servers.count == 2 })
        #expect(
            try await store.rooms.placement()
                == JournalPlacement(
                    servers: [
                        JournalPlacement.Server(
                            id: "a", address: "ws://a:1", rooms: 2, isLeaving: false, isOwn: false),
                        JournalPlacement.Server(
                            id: "b", address: "ws://b:1", rooms: 0, isLeaving: false, isOwn: true),
                    ],
                    rooms: [
                        JournalPlacement.Room(name: "/1", server: "a"),
                        JournalPlacement.Room(name: "/2", server: "a"),
                    ], total: 2))
        await old.end()
        #expect(await eventually { await places.servers.count == 1 })
        let rooms = try #require(try await store.rooms.placement()).rooms
        #expect(rooms.count == 2 && rooms.allSatisfy { $0.server == nil })
        await store.close()
    }

    @Test func `a room that another server has isn't opened, and is when that one is gone`()
        async throws
    {
        let nats = try await NATSProcess()
        let other = try await Node("a", nats)
        #expect(await other.knows(["a"]))
        #expect(try await other.places.server(of: "/") == other.server)
        let configuration = try NATSConfiguration(nats.address)
        let bench = try await JournalBench { () throws(JournalError) in
            try await JetStreamStore.open(
                configuration, RoomPlacesTests.layout, own: "b", timeout: .seconds(20),
                pulseInterval: .milliseconds(20))
        }
        let store = try #require(await bench.store as? JetStreamStore)
        let places = try #require(store.places)
        await places.begin(as: ClusterServer(id: "b", address: "ws://b:1")) { _ in }
        #expect(await eventually { await places.servers.count == 2 })
        // Not that it can't be told now: then it would be tried again.
        await bench.expectError("another server has it") {
            $0 == .replaced("The server at ws://a:1 has it.")
        } from: { () throws(JournalError) in
            try await bench.history(of: "/")
        }
        await other.end()
        #expect(await eventually { await places.servers.count == 1 })
        #expect(try await bench.history(of: "/").head == 0)
        #expect(try await places.holder(of: "/")?.id == "b")
        await bench.close()
    }

    @Test func `what is forgotten of a room is what was known, not who was given it since`()
        async throws
    {
        let nats = try await NATSProcess()
        let nodes = try await nodes(["a", "b"], nats)
        let owner = try await nodes[0].places.server(of: "/")
        let (own, other) = owner == nodes[0].server ? (nodes[0], nodes[1]) : (nodes[1], nodes[0])
        try await other.places.forget("/")
        #expect(try await own.places.holder(of: "/") == own.server, "It isn't its own.")
        try await own.places.forget("/")
        for node in nodes { #expect(try await node.places.holder(of: "/") == nil) }
        #expect(try await own.places.all().isEmpty)
        try await own.places.forget("/")
        // It may be given to anybody again.
        #expect(try await other.places.server(of: "/") == owner)
        #expect(try await own.places.give("/") == other.server)
        try await own.places.forget("/")
        #expect(try await own.places.holder(of: "/") == other.server)
        for node in nodes { await node.end() }
    }

    @Test func `who was away from NATS looks whether its rooms are its own`() async throws {
        let port = try HeldPort(isShared: true)
        let nats = try await NATSProcess(port: port.number)
        // Without pulses nothing else tells it.
        let node = try await Node("a", nats, interval: .seconds(3600))
        #expect(await node.knows(["a"]))
        let before = node.events.withLock(\.self)
        #expect(!before.contains("check"))
        nats.kill()
        try await nats.start()
        #expect(await node.hears("check"))
        await node.end()
    }

    @Test func `who doesn't hear itself says so, until it does`() async throws {
        let nats = try await NATSProcess()
        let node = try await Node("a", nats)
        #expect(await node.knows(["a"]))
        #expect(await eventually { node.places.unreadiness == nil })
        nats.send(SIGSTOP)
        #expect(await eventually { node.places.unreadiness != nil })
        nats.send(SIGCONT)
        #expect(await eventually { node.places.unreadiness == nil })
        await node.end()
    }

    @Test func `two at one address are told so`() async throws {
        let nats = try await NATSProcess()
        let first = try await Node("a", nats, address: "ws://here:1")
        #expect(await first.knows(["a"]))
        let second = try await Node("b", nats, address: "ws://here:1")
        #expect(await first.hears("double b"))
        #expect(await second.hears("double a"))
        await first.end()
        await second.end()
    }

    @Test func `a room of one with another key isn't to be reached, and isn't taken from it`()
        async throws
    {
        let nats = try await NATSProcess()
        let first = try await Node("a", nats, key: "1")
        #expect(await first.knows(["a"]))
        #expect(try await first.places.server(of: "/") == first.server)
        let second = try await Node("b", nats, key: "2")
        #expect(await second.hears("stranger a"))
        #expect(await first.hears("stranger b"))
        await #expect(
            throws: NATSError.unavailable(
                "The server a at ws://a:1 has the room '/', and another key than this one, b at "
                    + "ws://b:1: --edge-key, ClusterNode(key:).")
        ) { try await second.places.server(of: "/") }
        #expect(try await first.places.holder(of: "/") == first.server)
        await #expect(throws: NATSError.unavailable("There is no other server that takes rooms.")) {
            try await first.places.leave()
        }
        await #expect(
            throws: NATSError.unavailable("The server 'b' has another key (--edge-key).")
        ) { try await first.places.give("/", to: "b") }
        #expect(await eventually { second.places.unreadiness?.contains("another key") == true })
        #expect(first.places.unreadiness?.contains("another key") != true)
        // It is gone, and what it had goes to who is there.
        await first.end()
        #expect(await second.hears("gone a"))
        #expect(try await second.places.server(of: "/") == second.server)
        #expect(await eventually { second.places.unreadiness == nil })
        await second.end()
    }

    @Test
    func `what can't be read is given to somebody, and a request without an answer is passed over`()
        async throws
    {
        let nats = try await NATSProcess()
        let node = try await Node("a", nats)
        #expect(await node.knows(["a"]))
        let client = try await NATSClient(nats.address)
        _ = try await client.connected()
        _ = try await client.request(Self.layout.place(of: "/"), "nonsense")
        #expect(try await node.places.server(of: "/") == node.server)
        for payload in [#"{"room":"/"}"#, "", "[]"] {
            try await client.publish(payload, to: Self.layout.requests(to: "a"))
            try await client.publish(payload, to: Self.layout.pulses)
            try await client.publish(payload, to: Self.layout.place(of: "/b"))
        }
        #expect(try await node.places.server(of: "/c") == node.server)
        _ = await client.close()
        await node.end()
    }

    @Test func `an operator is told what became of what it asked for`() async throws {
        let nats = try await NATSProcess()
        let nodes = try await nodes(["a", "b"], nats)
        try await nodes[0].places.ask(nodes[1].server, toMove: "/", to: "c")
        #expect(await nodes[1].hears("move / c"))
        try await nodes[0].places.ask(nodes[1].server, toMove: "/")
        #expect(await nodes[1].hears("move / anywhere"))
        nodes[1].answer.withLock { $0 = "There is no other server." }
        await #expect(throws: NATSError.refused("There is no other server.")) {
            try await nodes[0].places.ask(nodes[1].server, toMove: nil)
        }
        #expect(await nodes[1].hears("drain"))
        await nodes[1].end()
        #expect(await nodes[0].hears("gone b"))
        // At NATS its connection may be there a little longer than its last word: who asks it then
        // gets no answer.
        var problem: NATSError?
        for _ in 0..<2 where problem == nil || problem?.isUnanswered == true {
            do throws(NATSError) {
                try await nodes[0].places.ask(nodes[1].server, toMove: nil)
            } catch { problem = error }
        }
        #expect(problem == .refused("The server 'b' isn't there."))
        await nodes[0].end()
    }
}

extension NATSError {
    fileprivate var isUnanswered: Bool { if case .unanswered = self { true } else { false } }
}
