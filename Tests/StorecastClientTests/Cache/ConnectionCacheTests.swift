import Foundation
import Observation
import StorecastClient
import StorecastServer
import Synchronization
import TestSupport
import Testing

/// Values that outlive their program: on a network that does what the test says, in a file.
@MainActor struct ConnectionCacheTests {
    private let folder: TemporaryDirectory
    private let network = ManualNetwork()

    init() throws {
        folder = try TemporaryDirectory()
    }

    private var path: String { folder.file("values") }

    /// A program that begins.
    private func start(
        viewer: String = "ada", encryption: RemoteConnection.Cache.Encryption? = nil
    ) -> (RemoteConnection, RemoteStore<[String]>) {
        let connection = network.connect(
            cache: .file(path, viewer: viewer, encryption: encryption))
        return (connection, RemoteStore(Shelf.books, on: connection))
    }

    /// A program that shows `Emma` at version 3, and ends.
    private func runOnce(encryption: RemoteConnection.Cache.Encryption? = nil) async throws {
        let (connection, store) = start(encryption: encryption)
        try await receive("Emma", on: connection)
        #expect(store.state == ["Emma"])
        connection.close()
        network.settle()
    }

    /// The server sends a book.
    private func receive(_ title: String, on connection: RemoteConnection) async throws {
        network.welcome(version: 3)
        let ref = try #require(network.connection.refs.last)
        network.say(#"{"op":"subscribed","ref":\#(ref),"sub":1,"tag":"t"}"#)
        network.say(#"{"op":"snapshot","sub":1,"v":3,"value":["\#(title)"]}"#)
        await connection.settleStores()
    }

    /// Waits for what a connection does on the network's thread.
    private func finish(_ work: @escaping @MainActor () async throws -> Void) async throws {
        var isDone = false
        let task = Task {
            defer { isDone = true }
            try await work()
        }
        while !isDone {
            network.settle()
            await Task.yield()
        }
        try await task.value
    }

    /// What a program that begins now shows without a connection.
    private func shown(
        viewer: String = "ada", encryption: RemoteConnection.Cache.Encryption? = nil
    ) async -> [String]? {
        let (connection, store) = start(viewer: viewer, encryption: encryption)
        network.settle()
        await connection.settleStores()
        return store.state
    }

    @Test func `a cold start shows the value before any connection, and that it isn't live`()
        async throws
    {
        try await runOnce()
        let (connection, store) = start()
        network.settle()
        await connection.settleStores()
        #expect(store.state == ["Emma"])
        #expect(store.position == Position(epoch: "e", version: 3))
        #expect(!store.isLive)
        #expect(connection.status == .connecting)
    }

    @Test func `a store says when it becomes live, and when it isn't any more`() async throws {
        try await runOnce()
        let (connection, store) = start()
        network.settle()
        await connection.settleStores()
        let changes = Tally()
        func follow() {
            withObservationTracking {
                _ = store.isLive
            } onChange: {
                changes.increase()
            }
        }
        follow()
        network.welcome(version: 3)
        let ref = try #require(network.connection.refs.last)
        network.say(#"{"op":"subscribed","ref":\#(ref),"sub":1,"tag":"t"}"#)
        await connection.settleStores()
        #expect(!store.isLive, "The server hasn't answered yet.")
        network.say(#"{"op":"current","sub":1,"v":3}"#)
        await connection.settleStores()
        #expect(store.isLive)
        #expect(changes.count == 1)
        follow()
        network.lose()
        await connection.settleStores()
        #expect(!store.isLive)
        #expect(store.state == ["Emma"])
        #expect(changes.count == 2)
    }

    @Test func `subscribers hear of a value that turned out to be old`() async throws {
        try await runOnce()
        let (connection, store) = start()
        let listener = Listener<[String]>()
        store.subscribe(listener)
        network.settle()
        await connection.settleStores()
        try await receive("Persuasion", on: connection)
        #expect(listener.heard == [["Emma"], ["Persuasion"]])
    }

    /// That it was settled is written some time later, and may be lost with the process.
    @Test func `what the outbox still has isn't shown again on a value that has it`() async throws {
        let outbox = folder.file("outbox")
        func start(_ outbox: String, seed: UInt64) -> (RemoteConnection, RemoteStore<[String]>) {
            let connection = network.connect(
                room: Shelf.room(), outbox: .file(outbox), cache: .file(path, viewer: "ada"),
                seed: seed)
            return (connection, RemoteStore(Shelf.books, on: connection, optimistic: Shelf.put))
        }
        let (first, before) = start(outbox, seed: 1)
        try await receive("Emma", on: first)
        first.dispatch(PutBook(title: "Persuasion"))
        network.settle()
        #expect(network.connection.sent.contains { $0.op == "dispatch" })
        let stored = try Data(contentsOf: URL(filePath: outbox))
        network.say(#"{"op":"transaction","v":4,"count":1,"acked":1}"#)
        network.say(#"{"op":"snapshot","sub":1,"v":4,"value":["Emma","Persuasion"]}"#)
        await first.settleStores()
        #expect(before.state == ["Emma", "Persuasion"] && first.pendingCount == 0)
        first.close()
        network.settle()

        // The client is the outbox's, whichever id another one would get.
        try stored.write(to: URL(filePath: outbox + ".kept"))
        let (second, after) = start(outbox + ".kept", seed: 2)
        network.settle()
        await second.settleStores()
        #expect(second.pendingCount == 1)
        #expect(after.state == ["Emma", "Persuasion"])
        second.close()
        network.settle()

        // With another outbox it is another client, whose first isn't the first's.
        let (third, other) = start(outbox + ".new", seed: 3)
        third.dispatch(PutBook(title: "Sanditon"))
        network.settle()
        await third.settleStores()
        #expect(other.state == ["Emma", "Persuasion", "Sanditon"])
        third.close()
        network.settle()
    }

    @Test func `another person who uses the device sees nothing`() async throws {
        try await runOnce()
        #expect(await shown(viewer: "bob") == nil)
        #expect(await shown(viewer: "ada") == ["Emma"])
    }

    @Test func `only its owner can read the file`() async throws {
        try await runOnce()
        #expect(folder.names == ["values"])
        #expect(try folder.permissions("values") == 0o600)
    }

    @Test func `wiped, the file is gone and doesn't come back`() async throws {
        try await runOnce()
        let (connection, store) = start()
        try await receive("Persuasion", on: connection)
        try await finish { try await connection.wipeCache() }
        #expect(folder.names == [])
        #expect(store.state == ["Persuasion"])
        connection.close()
        network.advance(by: .seconds(600))
        #expect(folder.names == [])
        #expect(await shown() == nil)
    }

    @Test func `it can be written before the app is suspended`() async throws {
        let (connection, store) = start()
        try await receive("Emma", on: connection)
        #expect(folder.names == [])
        try await finish { await connection.saveCache() }
        #expect(await shown() == ["Emma"])
        withExtendedLifetime(store) {}
    }

    @Test func `a file that is damaged is as if it weren't there, and is replaced`() async throws {
        try await runOnce()
        let whole = try Data(contentsOf: URL(filePath: path))
        for damaged in [whole.prefix(whole.count / 2), Data(), Data([0xff]), whole + [0]] {
            try damaged.write(to: URL(filePath: path))
            #expect(await shown() == nil)
        }
        try await runOnce()
        #expect(await shown() == ["Emma"])
    }

    @Test func `a place where nothing can be written keeps nothing, and disturbs nobody`()
        async throws
    {
        let connection = network.connect(cache: .file(folder.file("no/values"), viewer: "ada"))
        let store = RemoteStore(Shelf.books, on: connection)
        try await receive("Emma", on: connection)
        network.advance(by: .seconds(60))
        #expect(store.state == ["Emma"])
        try await finish { try await connection.wipeCache() }
    }

    @Test func `a folder in the file's place is as if it weren't there`() async throws {
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
        #expect(await shown() == nil)
    }

    @Test func `the app's functions encrypt it`() async throws {
        let key: UInt8 = 0x80
        let encryption = RemoteConnection.Cache.Encryption(
            seal: { text in text.map { $0 ^ key } }, open: { text in text.map { $0 ^ key } })
        try await runOnce(encryption: encryption)
        let file = try Data(contentsOf: URL(filePath: path))
        #expect(!file.contains { $0 < 0x80 })
        #expect(await shown(encryption: encryption) == ["Emma"])
        #expect(await shown() == nil)
    }
}

/// With a server.
@MainActor @Suite(.timeLimit(.minutes(30)), .fewAtATime)
struct CachedStartTests {
    private let folder: TemporaryDirectory

    init() throws {
        folder = try TemporaryDirectory()
    }

    /// A program that begins, shows `titles` as of the server, and ends; what it was sent.
    private func run(_ url: String, until titles: [String]) async throws -> [String] {
        let transport = ListeningTransport()
        let connection = RemoteConnection(
            url, cache: .file(folder.file("values"), viewer: ""), transport: transport)
        let store = RemoteStore(Shelf.books, on: connection)
        while !(store.isLive && store.state == titles) { await Task.yield() }
        connection.close()
        _ = await connection.settledStatus
        return transport.ops
    }

    @Test func `a second start with nothing changed transfers no value`() async throws {
        let desk = try await Desk()
        try await desk.put("Emma")
        let first = try await run(desk.url, until: ["Emma"])
        #expect(first.filter { $0 == "snapshot" }.count == 1)
        let second = try await run(desk.url, until: ["Emma"])
        #expect(second.filter { $0 == "current" }.count == 1)
        #expect(!second.contains("snapshot"))
        #expect(!second.contains("patch"))
        await desk.close()
    }

    @Test func `what has changed meanwhile is shown`() async throws {
        let desk = try await Desk()
        try await desk.put("Emma")
        _ = try await run(desk.url, until: ["Emma"])
        try await desk.put("Persuasion")
        _ = try await run(desk.url, until: ["Emma", "Persuasion"])
        await desk.close()
    }

    /// A room in memory ends with its server; the next one has another history.
    @Test func `the value of a history that is lost is replaced`() async throws {
        let desk = try await Desk()
        try await desk.put("Emma")
        _ = try await run(desk.url, until: ["Emma"])
        await desk.close()
        let next = try await Desk()
        try await next.put("Persuasion")
        let frames = try await run(next.url, until: ["Persuasion"])
        #expect(frames.filter { $0 == "snapshot" }.count == 1)
        await next.close()
    }
}

/// The standard transport; writes down what the server sends.
private final class ListeningTransport: Transport {
    private let standard: any Transport = .standard
    private let heard = Mutex<[String]>([])

    /// The names of the frames.
    var ops: [String] { heard.withLock { $0 } }

    var executor: any TransportExecutor { standard.executor }

    func connect(
        to url: String, subprotocol: String, handler: @escaping @Sendable (TransportEvent) -> Void
    ) -> any TransportConnection {
        standard.connect(to: url, subprotocol: subprotocol) { [self] event in
            if case .received(let text) = event {
                let frame = parsed(String(decoding: text, as: UTF8.self))
                heard.withLock { $0.append(frame.op) }
            }
            handler(event)
        }
    }
}
