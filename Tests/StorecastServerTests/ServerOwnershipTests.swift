import StorecastClient
import StorecastTesting
import Testing
import TestSupport

@testable import StorecastServer
@testable import StorecastRoom

/// What a server, its rooms and its clients are given is let go with them.
@MainActor @Suite(.timeLimit(.minutes(30)), .fewAtATime)
struct ServerOwnershipTests {
    /// Is held by whatever a server was given.
    private final class Token: Sendable {}

    private final class Reader: StoreSubscriber {
        func newState(state: Int) {}
    }

    private func room(holding token: Token) -> RoomDefinition<Tallies> {
        let held = Selection("held") { (tallies: Tallies) in
            withExtendedLifetime(token) { tallies.count }
        }
        return RoomDefinition(
            state: Tallies(), actions: [Add.self],
            selections: [Tallies.count, Tallies.me, held]
        ) { tallies, action in
            if let add = action as? Add { tallies.count += add.number }
        }
        .onOpen { store in
            store.middleware = [
                { dispatch, getState in
                    { next in
                        { action in
                            next(action)
                            withExtendedLifetime((token, dispatch, getState)) {}
                        }
                    }
                }
            ]
        }
        .revertible()
        .allowAll(.open)
        .lifecycle(grace: .milliseconds(1))
    }

    private func server(
        port: Int = 0, loops: Int = 1, holding token: Token
    ) -> SyncServer {
        let definition = room(holding: token)
        return SyncServer(
            port: port, loops: loops, rooms: { _ in definition },
            authenticate: { _ in withExtendedLifetime(token) { Identity("ada") } })
    }

    @Test(arguments: [1, 3]) func `a server that has stopped leaves nothing`(loops: Int)
        async throws
    {
        func serve() async throws -> () -> Bool {
            let token = Token()
            let server = server(loops: loops, holding: token)
            let url = try await server.start()
            for path in ["/a", "/b", "/c"] {
                let live = try await server.room(path, of: Tallies.self)
                _ = try await live.dispatch(Add(number: 1)).outcome
                _ = try await live.dispatch(RevertTo<Tallies>(version: 0)).outcome
                try await live.withStore { $0.dispatch(Add(number: 1)) }
                let first = RemoteConnection(url.at(path))
                let second = RemoteConnection(url.at(path))
                let stores = [
                    RemoteStore(Tallies.count, on: first), RemoteStore(Tallies.count, on: second),
                ]
                _ = try await second.dispatch(Add(number: 2)).outcome
                #expect(await first.isLive())
                first.close()
                withExtendedLifetime((stores, second)) {}
            }
            let last = RemoteConnection(url.at("/d"))
            #expect(await last.isLive())
            await server.stop()
            return { [weak token] in token == nil }
        }
        let isGone = try await serve()
        #expect(await eventually(isGone))
    }

    @Test(arguments: [1, 3]) func `a server that can't listen leaves nothing`(loops: Int)
        async throws
    {
        let other = SyncServer(port: 0, room: Tallies.room)
        let url = try await other.start()
        let port = try #require(Int(url.dropLast().split(separator: ":").last ?? ""))
        func fail() async -> () -> Bool {
            let token = Token()
            let server = server(port: port, loops: loops, holding: token)
            await #expect(throws: ServerError.self) { try await server.start() }
            return { [weak token] in token == nil }
        }
        let isGone = await fail()
        #expect(await eventually(isGone))
        await other.stop()
    }

    @Test func `a connection and its stores leave nothing, wherever they are on their way`()
        async throws
    {
        let server = SyncServer(port: 0, rooms: { _ in Tallies.room })
        let url = try await server.start()
        func connect(
            _ url: String, wait: @escaping @Sendable () async -> Void = {},
            until isThere: (RemoteConnection) async -> Void
        ) async -> [() -> Bool] {
            let (token, reader) = (Token(), Reader())
            let connection = RemoteConnection(
                url,
                token: {
                    await wait(); return ""
                }, transport: .standard,
                random: SystemRandomNumberGenerator(),
                wallClock: { withExtendedLifetime(token) { Timestamp.now() } })
            let waiting = RemoteStore(Tallies.count, on: connection)
            let optimistic = RemoteStore(Tallies.count, on: connection) { count, _ in
                withExtendedLifetime(token) { count += 1 }
            }
            waiting.middleware = [
                { dispatch, getState in
                    { next in
                        {
                            next($0); withExtendedLifetime((dispatch, getState)) {}
                        }
                    }
                }
            ]
            waiting.subscribe(reader) { count in
                count.skipRepeats { old, new in withExtendedLifetime(token) { old == new } }
            }
            let (states, statuses) = (optimistic.states, connection.statuses)
            waiting.dispatch(Add(number: 1))
            optimistic.dispatch(Add(number: 1))
            await isThere(connection)
            withExtendedLifetime((states, statuses)) {}
            return [
                { [weak token] in token == nil }, { [weak reader] in reader == nil },
                { [weak connection] in connection == nil },
                { [weak waiting] in waiting == nil }, { [weak optimistic] in optimistic == nil },
            ]
        }
        var checks = await connect(url) { #expect(await $0.isLive()) }
        checks += await connect(url) { _ = try? await $0.dispatch(Add(number: 1)).outcome }
        checks += await connect(url) { $0.close() }
        checks += await connect("ws://127.0.0.1:9/") { #expect(await $0.isOffline()) }
        checks += await connect("nowhere") { _ = await $0.end() }
        // Whose app is asked for a token, and never answers.
        let asked = AsyncStream<Never>.makeStream()
        let (isAsked, tellAsked) = AsyncStream<Void>.makeStream()
        checks += await connect(
            url,
            wait: {
                tellAsked.yield(); for await _ in asked.stream {}
            }
        ) { _ in
            for await _ in isAsked { break }
        }
        for (number, isNil) in checks.enumerated() {
            #expect(await eventually(isNil), "check \(number)")
        }
        asked.continuation.finish()
        await server.stop()
    }

    @Test func `who waits for a room of a server that stops is told so`() async throws {
        let journal = FickleJournal()
        journal.answer = .none
        let server = SyncServer(
            port: 0, journal: journal.provider(), rooms: { _ in Tallies.room })
        _ = try await server.start()
        let waiting = Task { try await server.room("/", of: Tallies.self) }
        #expect(await eventually { journal.asked == 1 })
        await server.stop()
        await #expect(throws: ServerError.self) { _ = try await waiting.value }
    }

    @Test func `1,000 connections come and go, and memory stays flat`() async {
        await #expect(processExitsWith: .success) { try await ServerChurn.connections() }
    }

    @Test func `50 servers start and stop, and memory stays flat`() async {
        await #expect(processExitsWith: .success) { try await ServerChurn.servers() }
    }
}

@MainActor private enum ServerChurn {
    static func connections() async throws {
        let server = SyncServer(port: 0, room: Tallies.room)
        let url = try await server.start()
        // Both ends of one have more than 8 KiB; on a busy machine some are still being closed.
        await requireFlatMemory(rounds: 1_000, allowing: 6 << 20) { _ in
            let connection = RemoteConnection(url)
            let store = RemoteStore(Tallies.count, on: connection)
            for await _ in store.states { break }
            connection.close()
        }
        await server.stop()
    }

    static func servers() async throws {
        try await requireFlatMemory(rounds: 50) { _ in
            let server = SyncServer(port: 0, loops: 2, rooms: { _ in Tallies.room })
            let connection = RemoteConnection(try await server.start())
            _ = try await connection.dispatch(Add(number: 1)).outcome
            connection.close()
            await server.stop()
        }
    }
}
