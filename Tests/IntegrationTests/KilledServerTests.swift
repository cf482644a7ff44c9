import Foundation
import StorecastClient
import Testing
import TestSupport

/// A server that is killed in the midst of it, and started again on the same file.
///
/// `TEST_KILLS=200 swift test --filter KilledServerTests` is the long run.
@MainActor @Suite(.fewAtATime) struct KilledServerTests {
    private static let clients = 6
    private static let wanted =
        ProcessInfo.processInfo.environment["TEST_KILLS"].flatMap { Int($0) }
    private static let kills = wanted ?? 6
    private static let seed: UInt64 = 5

    @Test(.timeLimit(.minutes(30)))
    func `a server that is killed again and again loses no acked action and repeats none`()
        async throws
    {
        let directory = try TemporaryDirectory()
        let (data, document) = (directory.file("crash.sqlite"), Self.document)
        let proxy = try CuttingProxy(
            CuttingProxy.Plan(clients: Self.clients, cuts: Self.kills / 4, seed: Self.seed))
        defer { proxy.stop() }
        var server = try await ServeProcess(document: document, data: data)
        let epoch = try await Truth.read(server).epoch
        let acks = AckCounter()
        let clients = proxy.ports.enumerated().map { KilledClient(number: $0, port: $1, acks) }
        for client in clients { client.start() }
        proxy.lead(to: server.port)
        var random = SeededGenerator(seed: Self.seed)
        for _ in 0..<Self.kills {
            // At its first acks, or in the middle of it: sometimes before anything was acked.
            await acks.wait(forMore: random.below(60))
            server.process.signal(SIGKILL)
            #expect(await server.process.exitStatus() == -SIGKILL)
            proxy.lead(to: nil)
            server = try await ServeProcess(document: document, data: data)
            try check(await Truth.read(server), epoch, clients)
            proxy.lead(to: server.port)
        }
        for client in clients { try await client.finish() }
        let truth = try await Truth.read(server)
        try check(truth, epoch, clients)
        #expect(truth.logs == clients.map { Array(0..<$0.dispatched) })
        for client in clients { await client.expectMirror(truth.logs[client.number]) }
        #expect(await server.stop() == 0)
        #expect(
            directory.names == ["crash.sqlite"], "What SQLite needs only while it runs is gone.")
    }

    /// How a server that clients are connected to is left.
    private enum End: CaseIterable { case killed, halted, left, logKilled }

    @Test(
        .enabled(if: NATSProcess.isThere, "needs .build/python: see the README's test command"),
        .timeLimit(.minutes(30)))
    func `servers with a common log go on with one another's rooms, and lose and repeat nothing`()
        async throws
    {
        let log = try await NATSCluster()
        let document = Self.document
        let proxy = try CuttingProxy(
            CuttingProxy.Plan(clients: Self.clients, cuts: 0, seed: Self.seed))
        defer { proxy.stop() }
        var servers: [ServeProcess] = []
        for _ in 0..<2 {
            servers.append(try await ServeProcess(document: document, nats: log.addresses))
        }
        let acks = AckCounter()
        let clients = proxy.ports.enumerated().map { KilledClient(number: $0, port: $1, acks) }
        for client in clients { client.start() }
        proxy.lead(to: servers[0].port)
        var random = SeededGenerator(seed: Self.seed)
        var current = 0
        for round in 0..<Self.kills {
            await acks.wait(forMore: 1 + random.below(60))
            let (old, next) = (servers[current], 1 - current)
            switch End.allCases[round % End.allCases.count] {
            case .killed:
                old.process.signal(SIGKILL)
                proxy.lead(to: servers[next].port)
                servers[current] = try await ServeProcess(document: document, nats: log.addresses)
            case .halted:
                // For longer than it knows: when it goes on, its rooms are another's.
                old.process.signal(SIGSTOP)
                proxy.lead(to: servers[next].port)
                await acks.wait(forMore: 10)
                old.process.signal(SIGCONT)
            case .left:
                proxy.lead(to: servers[next].port)
            case .logKilled:
                let one = log.servers[random.below(log.servers.count)]
                one.kill()
                proxy.lead(to: servers[next].port)
                await acks.wait(forMore: 10)
                try await one.start()
            }
            current = next
        }
        for client in clients { try await client.finish() }
        let truth = try await Truth.read(servers[current])
        #expect(truth.logs == clients.map { Array(0..<$0.dispatched) })
        #expect(truth.version == UInt64(truth.logs.map(\.count).reduce(0, +)))
        for client in clients { await client.expectMirror(truth.logs[client.number]) }
        for server in servers { #expect(await server.stop() == 0) }
    }

    private enum EdgeEnd: CaseIterable {
        case left, ownerKilled, edgeKilled, ownerHalted, ownerStopped
    }

    @Test(.timeLimit(.minutes(30)))
    func `clients of edges lose and repeat nothing, whatever becomes of edges and the owner`()
        async throws
    {
        let directory = try TemporaryDirectory()
        let (key, data) = (directory.file("key"), directory.file("owner.sqlite"))
        try Data("a key for the edges of this test".utf8).write(to: URL(filePath: key))
        let proxy = try CuttingProxy(
            CuttingProxy.Plan(clients: Self.clients, cuts: 0, seed: Self.seed))
        defer { proxy.stop() }
        func makeOwner(_ port: UInt16 = 0) async throws -> ServeProcess {
            try await ServeProcess(document: Self.document, data: data, port: port, edgeKey: key)
        }
        var owner = try await makeOwner()
        let port = owner.port
        func makeEdge() async throws -> ServeProcess {
            try await ServeProcess(edgeKey: key, upstream: "ws://127.0.0.1:\(port)")
        }
        var edges = [try await makeEdge(), try await makeEdge()]
        let acks = AckCounter()
        let clients = proxy.ports.enumerated().map { KilledClient(number: $0, port: $1, acks) }
        for client in clients { client.start() }
        proxy.lead(to: edges[0].port)
        var random = SeededGenerator(seed: Self.seed)
        for round in 0..<Self.kills {
            await acks.wait(forMore: 1 + random.below(60))
            switch EdgeEnd.allCases[round % EdgeEnd.allCases.count] {
            case .left: proxy.lead(to: random.below(3) == 0 ? port : edges[random.below(2)].port)
            case .ownerKilled:
                owner.process.signal(SIGKILL)
                _ = await owner.process.exitStatus()
                owner = try await makeOwner(port)
            case .edgeKilled:
                let place = random.below(2)
                edges[place].process.signal(SIGKILL)
                edges[place] = try await makeEdge()
                proxy.lead(to: edges[1 - place].port)
            case .ownerHalted:
                owner.process.signal(SIGSTOP)
                proxy.lead(to: edges[random.below(2)].port)
                owner.process.signal(SIGCONT)
            case .ownerStopped:
                #expect(await owner.stop() == 0)
                owner = try await makeOwner(port)
            }
        }
        for client in clients { try await client.finish() }
        let truth = try await Truth.read(owner)
        #expect(truth.logs == clients.map { Array(0..<$0.dispatched) })
        #expect(truth.version == UInt64(truth.logs.map(\.count).reduce(0, +)))
        for edge in edges {
            let same = try await Truth.read(edge)
            #expect(same.logs == truth.logs && same.version == truth.version)
            #expect(same.epoch == truth.epoch)
        }
        for client in clients { await client.expectMirror(truth.logs[client.number]) }
        for server in edges + [owner] { #expect(await server.stop() == 0) }
    }

    private enum ClusterEnd: CaseIterable { case killed, moved, halted, stopped, logKilled }

    @Test(
        .enabled(if: NATSProcess.isThere, "needs .build/python: see the README's test command"),
        .timeLimit(.minutes(30)))
    func `clients of a cluster lose and repeat nothing, whatever becomes of its servers`()
        async throws
    {
        let directory = try TemporaryDirectory()
        let key = directory.file("key")
        try Data("a key for the servers of this test".utf8).write(to: URL(filePath: key))
        let log = try await NATSCluster()
        let proxy = try CuttingProxy(
            CuttingProxy.Plan(clients: Self.clients, cuts: 0, seed: Self.seed))
        defer { proxy.stop() }
        func makeServer() async throws -> ServeProcess {
            try await ServeProcess(document: Self.document, cluster: log.addresses, edgeKey: key)
        }
        var servers: [ServeProcess] = []
        for _ in 0..<3 { servers.append(try await makeServer()) }
        let acks = AckCounter()
        let clients = proxy.ports.enumerated().map { KilledClient(number: $0, port: $1, acks) }
        for client in clients { client.start() }
        proxy.lead(to: servers[0].port)
        var random = SeededGenerator(seed: Self.seed)
        var current = 0
        // Each of them takes seconds, as servers wait for one another.
        for round in 0..<(Self.wanted ?? ClusterEnd.allCases.count) {
            await acks.wait(forMore: 1 + random.below(60))
            // The one that clients are at, or another, which may have the room or not.
            let place = random.below(3)
            if place == current { current = (current + 1 + random.below(2)) % 3 }
            switch ClusterEnd.allCases[round % ClusterEnd.allCases.count] {
            case .killed:
                servers[place].process.signal(SIGKILL)
                proxy.lead(to: servers[current].port)
                await acks.wait(forMore: 10)
                servers[place] = try await makeServer()
            case .moved:
                let move = try ChildProcess(
                    "storecast", ["cluster", "move", "/", "--cluster", log.addresses])
                #expect(await move.exitStatus() == 0)
            case .halted:
                // For longer than the others wait for it.
                servers[place].process.signal(SIGSTOP)
                proxy.lead(to: servers[current].port)
                await acks.wait(forMore: 10)
                servers[place].process.signal(SIGCONT)
            case .stopped:
                #expect(await servers[place].stop() == 0)
                proxy.lead(to: servers[current].port)
                await acks.wait(forMore: 10)
                servers[place] = try await makeServer()
            case .logKilled:
                let one = log.servers[random.below(log.servers.count)]
                one.kill()
                proxy.lead(to: servers[current].port)
                await acks.wait(forMore: 10)
                try await one.start()
            }
        }
        for client in clients { try await client.finish() }
        for server in servers {
            let truth = try await Truth.read(server)
            #expect(truth.logs == clients.map { Array(0..<$0.dispatched) })
            #expect(truth.version == UInt64(truth.logs.map(\.count).reduce(0, +)))
        }
        let truth = try await Truth.read(servers[0])
        for client in clients { await client.expectMirror(truth.logs[client.number]) }
        for server in servers { #expect(await server.stop() == 0) }
    }

    private func check(_ truth: Truth, _ epoch: String, _ clients: [KilledClient]) throws {
        #expect(truth.epoch == epoch, "Nothing was lost: the history goes on.")
        for (client, log) in zip(clients, truth.logs) {
            #expect(log == Array(0..<log.count), "client \(client.number), in order and once each")
            #expect(log.count >= client.acked, "client \(client.number), what was acked")
        }
        #expect(truth.version == UInt64(truth.logs.map(\.count).reduce(0, +)))
    }

    private static let document: String = {
        let logs = (0..<clients).map { #""log-\#($0)":[]"# }.joined(separator: ",")
        return "{\(logs)}"
    }()
}

/// What a server has, as someone sees it who was never there before.
private struct Truth {
    var epoch: String
    var version: UInt64
    var logs: [[Int]]

    @MainActor static func read(_ server: ServeProcess) async throws -> Truth {
        let connection = RemoteConnection(server.url)
        defer { connection.close() }
        let store = RemoteStore(selection: "value", parameters: ["path": ""], on: connection)
        var states = store.states.makeAsyncIterator()
        let document = try #require(await states.next(isolation: #isolation))
        let position = try #require(store.position)
        let members = document.object?.count ?? 0
        return Truth(
            epoch: position.epoch, version: position.version,
            logs: (0..<members).map { numbers(document["log-\($0)"]) })
    }

    static func numbers(_ list: JSON?) -> [Int] {
        (list?.array ?? []).compactMap { $0.int.map { Int($0) } }
    }
}

/// Counts the acks of all clients, and tells who waits for more.
@MainActor private final class AckCounter {
    private var due: (count: Int, CheckedContinuation<Void, Never>)?

    func count() {
        guard let (count, continuation) = due else { return }
        due = count > 1 ? (count - 1, continuation) : nil
        if count <= 1 { continuation.resume() }
    }

    func wait(forMore count: Int) async {
        if count > 0 { await withCheckedContinuation { due = (count, $0) } }
    }
}

/// A client that appends 0, 1, 2 … to a list of its own, a few at a time, until it is told to
/// finish.
@MainActor private final class KilledClient {
    let number: Int
    private(set) var dispatched = 0
    private(set) var acked = 0
    private let connection: RemoteConnection
    private let log: RemoteStore<JSON>
    private let acks: AckCounter
    private var isFinishing = false
    private var work: Task<Void, any Error>?

    init(number: Int, port: UInt16, _ acks: AckCounter) {
        self.number = number
        self.acks = acks
        let connection = RemoteConnection("ws://127.0.0.1:\(port)/")
        self.connection = connection
        log = RemoteStore(
            selection: "value", parameters: ["path": .string("/log-\(number)")], on: connection)
        Task {
            for await status in connection.statuses {
                if case .offline = status { connection.reconnect() }
            }
        }
    }

    func start() {
        work = Task {
            while !isFinishing {
                let dispatches = (0..<3).map { _ in dispatchNext() }
                for dispatch in dispatches {
                    _ = try await dispatch.outcome
                    acked += 1
                    acks.count()
                }
            }
        }
        Task { await watchMirror() }
    }

    /// Waits until everything that it dispatched has its outcome.
    func finish() async throws {
        isFinishing = true
        try await work?.value
        #expect(acked == dispatched)
    }

    /// Waits until the mirror shows this; the time limit ends the wait.
    func expectMirror(_ expected: [Int]) async {
        for await state in log.states where Truth.numbers(state) == expected { break }
        connection.close()
    }

    private func dispatchNext() -> Dispatch {
        defer { dispatched += 1 }
        return connection.dispatch(
            type: "append",
            payload: ["path": .string("/log-\(number)"), "value": .int(Int64(dispatched))])
    }

    /// The mirror shows the beginning of what was dispatched, and never goes back.
    private func watchMirror() async {
        var longest = 0
        for await state in log.states {
            let shown = Truth.numbers(state)
            #expect(shown == Array(0..<shown.count), "client \(number)")
            #expect(shown.count >= longest, "client \(number)")
            longest = max(longest, shown.count)
        }
    }
}
