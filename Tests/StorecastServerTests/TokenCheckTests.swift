import StorecastClient
import Synchronization
import TestSupport
import Testing

@testable import StorecastServer

/// A server's own function that says who clients are.
@Suite(.timeLimit(.minutes(30)), .fewAtATime) struct TokenCheckTests {
    /// Checks of a token that end when the test says so, from then on at once, or are cancelled.
    private final class Gate: Sendable {
        let began: AsyncStream<String>
        private let beginning: AsyncStream<String>.Continuation
        private let checks = Mutex<(open: Set<String>, waiting: [String: Ending])>(([], [:]))
        private typealias Ending = AsyncStream<Never>.Continuation
        let cancelled = Mutex<[String]>([])

        init() { (began, beginning) = AsyncStream.makeStream() }

        func identity(_ credentials: Credentials) async throws -> Identity {
            let token = credentials.token ?? ""
            let (stream, continuation) = AsyncStream<Never>.makeStream()
            checks.withLock { checks in
                checks.waiting[token] = continuation
                if checks.open.contains(token) { continuation.finish() }
            }
            beginning.yield(token)
            for await _ in stream {}
            if Task.isCancelled { cancelled.withLock { $0.append(token) } }
            return Identity(token)
        }

        func open(_ token: String) {
            checks.withLock { checks in
                checks.open.insert(token)
                checks.waiting[token]?.finish()
            }
        }
    }

    private func server(_ gate: Gate, _ change: (inout SyncLimits) -> Void) -> SyncServer {
        var limits = SyncLimits()
        change(&limits)
        return SyncServer(
            port: 0, limits: limits,
            authentication: .custom { try await gate.identity($0) }, rooms: { _ in Tallies.room })
    }

    @Test func `beyond so many checks at a time a client is asked to come again`() async throws {
        let gate = Gate()
        let server = server(gate) {
            $0.tokenChecks = 2
            $0.tokenCheckTimeout = .seconds(600)
        }
        let url = try await server.start()
        var began = gate.began.makeAsyncIterator()
        let first = RemoteConnection(url, token: { "first" })
        #expect(await began.next() == "first")
        let second = RemoteConnection(url, token: { "second" })
        #expect(await began.next() == "second")
        let third = RemoteConnection(url, token: { "third" })
        guard case .offline(let outage)? = await third.status(where: \.isOffline) else {
            return #expect(Bool(false), "It is \(third.status).")
        }
        #expect(outage.reason == "The server checks as many tokens as it can.")
        gate.open("first")
        // Each may have lost patience meanwhile, and come again.
        #expect(await first.isLive())
        third.reconnect()
        while let name = await began.next(), name != "third" {}
        gate.open("third")
        #expect(await third.isLive())
        for connection in [first, second, third] { connection.close() }
        await server.stop()
    }

    @Test func `a check that takes too long is cancelled, and its client asked to come again`()
        async throws
    {
        let gate = Gate()
        let server = server(gate) { $0.tokenCheckTimeout = .milliseconds(20) }
        let url = try await server.start()
        // The second begins when nothing is watched any more.
        for name in ["slow", "as slow"] {
            let connection = RemoteConnection(url, token: { name })
            guard case .offline(let outage)? = await connection.status(where: \.isOffline) else {
                return #expect(Bool(false), "It is \(connection.status).")
            }
            #expect(outage.reason == "The server could not check the token in time.")
            connection.close()
        }
        // A client may have come again before the test saw that it was to.
        let cancelled = gate.cancelled.withLock(\.self)
        #expect(Set(cancelled) == ["slow", "as slow"] && cancelled.last == "as slow")
        await server.stop()
    }

    @Test func `each of several checks has its time, also those that began beside another`()
        async throws
    {
        let gate = Gate()
        var limits = SyncLimits()
        limits.tokenCheckTimeout = .milliseconds(500)
        let server = SyncServer(
            port: 0, limits: limits,
            authentication: .custom { try await gate.identity($0) }, rooms: { _ in Tallies.room })
        let url = try await server.start()
        var began = gate.began.makeAsyncIterator()
        var connections: [RemoteConnection] = []
        for (name, next) in [("first", 1000), ("second", 1500), ("third", 1500)] {
            connections.append(RemoteConnection(url, token: { name }))
            // On a slow day the first has come again meanwhile.
            while let found = await began.next(), found != name {}
            // So that no two of them are over together.
            limits.tokenCheckTimeout = .milliseconds(next)
            #expect(await server.setLimits(limits) == [])
        }
        for connection in connections {
            guard case .offline(let outage)? = await connection.status(where: \.isOffline) else {
                return #expect(Bool(false), "It is \(connection.status).")
            }
            #expect(outage.reason == "The server could not check the token in time.")
            // Another check of its own would have the others' time watched.
            connection.close()
        }
        await server.stop()
    }

    @Test func `a check whose client has gone makes place for another`() async throws {
        let gate = Gate()
        let server = server(gate) { $0.tokenChecks = 1 }
        let url = try await server.start()
        var began = gate.began.makeAsyncIterator()
        let gone = RemoteConnection(url, token: { "gone" })
        #expect(await began.next() == "gone")
        gone.close()
        let next = RemoteConnection(url, token: { "next" })
        // The server hears of the end beside the others' beginnings.
        let nagging = Task {
            for await status in next.statuses where status.isOffline { next.reconnect() }
        }
        #expect(await began.next() == "next")
        gate.open("next")
        #expect(await next.isLive())
        #expect(gate.cancelled.withLock(\.self) == ["gone"])
        next.close()
        await nagging.value
        await server.stop()
    }

    @Test func `a token that is too long isn't checked, at hello nor later`() async throws {
        let checked = Mutex<[Int]>([])
        var limits = SyncLimits()
        limits.tokenBytes = 100
        let server = SyncServer(port: 0, limits: limits, rooms: { _ in Tallies.room }) {
            let token = $0.token ?? ""
            checked.withLock { $0.append(token.utf8.count) }
            return Identity("ada")
        }
        let url = try await server.start()
        let long = String(repeating: "x", count: 101)
        let refused = RemoteConnection(url, token: { long })
        #expect(await refused.end() == Rejection(.unauthenticated, "A token may have 100 bytes."))
        let connection = RemoteConnection(url, token: { String(long.dropLast()) })
        #expect(await connection.isLive())
        connection.authenticate(token: long)
        #expect(await connection.end()?.code == .unauthenticated)
        #expect(checked.withLock(\.self) == [100])
        await server.stop()
    }

    @Test func `a passing failure is no end: at hello the client comes again, later it goes on`()
        async throws
    {
        let isDown = Mutex(true)
        let asked = AsyncStream<String>.makeStream()
        let server = SyncServer(port: 0, rooms: { _ in Tallies.room }) { credentials in
            let fails = isDown.withLock(\.self)
            asked.continuation.yield(credentials.token ?? "")
            if fails {
                throw Rejection(.unavailable, "The directory is down.", retryAfter: .zero)
            }
            return Identity("ada", roles: [credentials.token ?? ""])
        }
        let connection = RemoteConnection(try await server.start(), token: { "one" })
        #expect(await connection.isOffline())
        isDown.withLock { $0 = false }
        connection.reconnect()
        #expect(await connection.isLive())
        isDown.withLock { $0 = true }
        connection.authenticate(token: "two")
        for await token in asked.stream where token == "two" { break }
        isDown.withLock { $0 = false }
        _ = try await connection.dispatch(Add(number: 1)).outcome
        #expect(connection.status == .live)
        #expect(await server.revoke { $0.roles == ["one"] } == 1)
        connection.close()
        await server.stop()
    }
}

/// The checks that are under way, as numbers alone.
struct TokenChecksTests {
    @Test func `a check that has ended is its connection's, and only once`() {
        var checks = TokenChecks()
        let first = checks.begin(for: 7, until: .zero)
        let second = checks.begin(for: 8, until: .zero)
        #expect(first != second && checks.count == 2)
        let ended = [checks.end(first), checks.end(first), checks.end(99), checks.end(second)]
        #expect(ended == [7, nil, nil, 8])
        #expect(checks.count == 0)
    }

    @Test func `those whose time has come are given up in their order, and count until they end`() {
        var checks = TokenChecks()
        #expect(checks.nextDeadline == nil)
        var numbers: [UInt64] = []
        for (connection, deadline) in [(1, 30), (2, 10), (3, 20), (4, 10)] as [(UInt64, Int)] {
            numbers.append(checks.begin(for: connection, until: .seconds(deadline)))
        }
        #expect(checks.nextDeadline == .seconds(10))
        let (early, late, again) = (
            checks.giveUp(at: .milliseconds(9_999)), checks.giveUp(at: .seconds(10)),
            checks.giveUp(at: .seconds(10))
        )
        #expect(early == [] && late == [2, 4] && again == [])
        #expect(checks.count == 4 && checks.nextDeadline == .seconds(20))
        // Nobody waits for their answers.
        var ended: [UInt64?] = []
        for number in numbers { ended.append(checks.end(number)) }
        #expect(ended == [1, nil, 3, nil])
        #expect(checks.count == 0 && checks.nextDeadline == nil)
    }

    @Test func `what a connection waits for is cancelled with it, and nothing else`() {
        var checks = TokenChecks()
        // They end when they are cancelled, and nobody waits for that.
        let tasks = (0..<2).map { _ in
            Task<Void, Never> { _ = try? await Task.sleep(for: .seconds(600)) }
        }
        for (connection, task) in zip([5, 6] as [UInt64], tasks) {
            let number = checks.begin(for: connection, until: .seconds(1))
            checks.set(task, of: number)
        }
        checks.giveUp(for: 5)
        #expect(tasks.map(\.isCancelled) == [true, false])
        let rest = checks.giveUp(at: .seconds(1))
        #expect(rest == [6] && tasks.map(\.isCancelled) == [true, true])
    }
}

extension RemoteConnection.Status {
    fileprivate var isOffline: Bool { if case .offline = self { true } else { false } }
}
