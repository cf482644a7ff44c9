import Foundation
import StorecastClient
import Testing
import TestSupport

/// Two hundred clients whose connections break all the time, and a server that is killed.
@Suite(.fewAtATime) struct CutConnectionsTests {
    private static let clients = 200
    private static let cuts = 20
    private static let actionsEach = 130

    @Test(.timeLimit(.minutes(30)))
    func `200 connections, each cut 20 times, and a server killed twice lose and repeat nothing`()
        async throws
    {
        let directory = try TemporaryDirectory()
        let data = directory.file("cut.sqlite")
        let proxy = try CuttingProxy(
            CuttingProxy.Plan(clients: Self.clients, cuts: Self.cuts, seed: 4))
        defer { proxy.stop() }
        let logs = (0..<Self.clients).map { number in #""log-\#(number)":[]"# }
            .joined(separator: ",")
        let document = #"{"total":0,\#(logs)}"#
        var server = try await ServeProcess(document: document, data: data)
        proxy.lead(to: server.port)
        let progress = Progress()
        let clients = proxy.ports.enumerated().map { number, port in
            CutClient(
                number: number, url: "ws://127.0.0.1:\(port)/", reading: "/log-\(number)")
        }
        async let all: Void = withThrowingTaskGroup { group in
            for client in clients {
                group.addTask { try await client.dispatchAll(Self.actionsEach, progress) }
            }
            try await group.waitForAll()
        }
        for third in 1...2 {
            await progress.reach(Self.clients * Self.actionsEach * third / 3)
            server.process.signal(SIGKILL)
            #expect(await server.process.exitStatus() == -SIGKILL)
            proxy.lead(to: nil)
            server = try await ServeProcess(document: document, data: data)
            proxy.lead(to: server.port)
        }
        try await all

        #expect(proxy.cuts == Array(repeating: Self.cuts, count: Self.clients))
        try await check(clients, server)
        #expect(await server.stop() == 0)
    }

    private func check(_ clients: [CutClient], _ server: ServeProcess) async throws {
        // Past the proxy, and as one snapshot: the truth.
        let reader = CutClient(number: 0, url: server.url, reading: "")
        let (document, position) = try await reader.firstState()
        #expect(position.version == UInt64(Self.clients * Self.actionsEach))
        #expect(document["total"] == .int(Int64(Self.clients * Self.actionsEach / 10)))
        for client in clients {
            let log = (0..<Self.actionsEach).filter { !$0.isMultiple(of: 10) }
            #expect(document["log-\(client.number)"] == .array(log.map { .int(Int64($0)) }))
            let mirrors = await client.states(whenTotal: document["total"])
            #expect(mirrors.log == document["log-\(client.number)"])
            #expect(mirrors.total == document["total"])
            client.connection.close()
        }
        reader.connection.close()
    }
}

/// How many outcomes all clients have.
private actor Progress {
    private var count = 0
    private var waiting: (count: Int, continuation: CheckedContinuation<Void, Never>)?

    func add(_ more: Int) {
        count += more
        guard let waiting, count >= waiting.count else { return }
        self.waiting = nil
        waiting.continuation.resume()
    }

    /// Waits until there are so many.
    func reach(_ count: Int) async {
        guard self.count < count else { return }
        await withCheckedContinuation { waiting = (count, $0) }
    }
}

/// A client that goes on at once whenever it is cut.
private actor CutClient {
    nonisolated let number: Int
    nonisolated let connection: RemoteConnection
    private let path: String
    private lazy var log = mirror(of: path)
    private lazy var total = mirror(of: "/total")

    /// - Parameter path: what the client mirrors beside the sum.
    init(number: Int, url: String, reading path: String) {
        self.number = number
        self.path = path
        let connection = RemoteConnection(url)
        self.connection = connection
        Task {
            for await status in connection.statuses {
                if case .offline = status { connection.reconnect() }
            }
        }
    }

    private func mirror(of path: String) -> RemoteStore<JSON> {
        RemoteStore(selection: "value", parameters: ["path": .string(path)], on: connection)
    }

    /// The first value of the client's own mirror, and its position.
    func firstState() async throws -> (JSON, Position) {
        var states = log.states.makeAsyncIterator()
        let state = try #require(await states.next(isolation: #isolation))
        return (state, try #require(log.position))
    }

    /// Dispatches in rounds of ten: nine into a log of its own, in their order, and one into
    /// everybody's sum.
    func dispatchAll(_ count: Int, _ progress: Progress) async throws {
        _ = (log, total)
        var version: UInt64 = 0
        for round in 0..<count / 10 {
            let dispatches = (round * 10..<round * 10 + 10).map { dispatch($0) }
            for dispatch in dispatches {
                let position = try await dispatch.outcome
                #expect(position.version >= version, "outcomes come in order")
                version = position.version
            }
            await progress.add(dispatches.count)
        }
    }

    private func dispatch(_ index: Int) -> Dispatch {
        guard !index.isMultiple(of: 10) else {
            return connection.dispatch(type: "increment", payload: ["path": "/total", "by": 1])
        }
        return connection.dispatch(
            type: "append",
            payload: ["path": .string("/log-\(number)"), "value": .int(Int64(index))])
    }

    /// Both mirrors, when the sum is what is expected; the time limit ends the wait.
    func states(whenTotal expected: JSON?) async -> (log: JSON?, total: JSON?) {
        for await state in total.states where state == expected { break }
        return (log.state, total.state)
    }
}
