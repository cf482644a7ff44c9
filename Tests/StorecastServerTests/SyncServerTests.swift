import CoreMetrics
@preconcurrency import Glibc
import StorecastClient
import StorecastServer
import TestSupport
import Testing
import Tracing

@Suite(.timeLimit(.minutes(30)), .fewAtATime)
struct SyncServerTests {
    @Test func `the path of the URL names the room`() async throws {
        let server = SyncServer(port: 0, rooms: { $0.hasPrefix("/rooms/") ? Tallies.room : nil })
        let url = try await server.start()
        let first = RemoteConnection(url.at("/rooms/a"))
        let second = RemoteConnection(url.at("/rooms/b"))
        #expect(try await first.dispatch(Add(number: 1)).outcome.version == 1)
        #expect(try await first.dispatch(Add(number: 1)).outcome.version == 2)
        #expect(try await second.dispatch(Add(number: 5)).outcome.version == 1)
        let room = try await server.room("/rooms/b", of: Tallies.self)
        #expect(try await room.withStore { $0.state.count } == 5)
        #expect(try await room.position.version == 1)
        first.close()
        second.close()
        await server.stop()
    }

    @Test func `a server of one room takes all that a server of many takes`() async throws {
        let (logger, _) = MessageLog.make()
        var limits = SyncLimits()
        limits.depth = 4
        let server = SyncServer(
            host: "127.0.0.1", port: 0, listeningSocket: nil, allowedHosts: [], allowedOrigins: [],
            trustedProxies: [], certificate: nil, journal: .memory, loops: 1, limits: limits,
            extensions: [], logger: logger, audit: nil, metrics: NOOPMetricsHandler.instance,
            operations: nil, tracer: NoOpTracer(), room: Tallies.room, pages: WebPages(),
            authentication: .custom { Identity($0.token ?? "") }, onReload: { _ in }, rules: nil,
            edgeKey: nil)
        let connection = RemoteConnection(try await server.start(), token: { "ada" })
        #expect(try await connection.dispatch(Add(number: 1)).outcome.version == 1)
        let room = try await server.room("/", of: Tallies.self)
        #expect(try await room.withStore { $0.state.last } == "ada")
        let deep = connection.dispatch(type: "Add", payload: ["number": [[[1]]]])
        await #expect(throws: Rejection.self) { try await deep.outcome }
        connection.close()
        await server.stop()
    }

    @Test func `a path without a room closes for good, and says why`() async throws {
        let server = SyncServer(port: 0, room: Tallies.room)
        let connection = RemoteConnection(try await server.start().at("/nowhere"))
        let dispatch = connection.dispatch(Add(number: 1))
        #expect(await connection.end()?.code == Rejection.Code("no-room"))
        await #expect(throws: Rejection.self) { _ = try await dispatch.outcome }
        await server.stop()
    }

    @Test func `what a program prints when its server listens is in a pipe at once`() async {
        await #expect(processExitsWith: .success) {
            alarm(20)
            var ends: [Int32] = [0, 0]
            pipe(&ends)
            // As a program finds it whose standard output is a pipe.
            stdout = fdopen(ends[1], "w")
            Task.detached {
                try await SyncServer(port: 0, room: Tallies.room).run { url in
                    print("listening on \(url)")
                }
            }
            var bytes = [UInt8](repeating: 0, count: 64)
            let count = read(ends[0], &bytes, bytes.count)
            let line = String(decoding: bytes.prefix(max(count, 0)), as: UTF8.self)
            #expect(line.hasPrefix("listening on ws://127.0.0.1:"))
        }
    }

    @Test func `more than a loop takes at once from another arrives all the same`() async throws {
        let server = SyncServer(port: 0, loops: 3, rooms: { _ in Tallies.room })
        let url = try await server.start()
        // Of six rooms and connections spread over three loops most pairs are on two.
        let payload = JSON.string(String(repeating: "x", count: 300_000))
        let connections = (0..<6).map { RemoteConnection(url.at("/\($0)")) }
        let dispatches = connections.flatMap { connection in
            (0..<8).map { _ in connection.dispatch(type: "unknown", payload: payload) }
        }
        for dispatch in dispatches {
            do {
                _ = try await dispatch.outcome
                Issue.record("An unknown action was reduced.")
            } catch {
                #expect(error.code == .unknownAction)
            }
        }
        for connection in connections { connection.close() }
        await server.stop()
    }

    @Test(arguments: [1, 3])
    func `what is dispatched between two servers arrives at the second`(_ loops: Int) async throws {
        let first = SyncServer(port: 0, loops: loops, rooms: { _ in Tallies.room })
        let url = try await first.start()
        let port = try #require(Int(url.dropLast().split(separator: ":")[2]))
        let connections = (0..<4).map { _ in RemoteConnection(url) }
        for connection in connections { _ = try await connection.dispatch(Add(number: 1)).outcome }
        await first.stop()
        for connection in connections { #expect(await connection.isOffline()) }
        let dispatches = connections.map { $0.dispatch(Add(number: 10)) }
        let second = SyncServer(port: port, loops: loops, rooms: { _ in Tallies.room })
        _ = try await second.start()
        for connection in connections { connection.reconnect() }
        for dispatch in dispatches { _ = try await dispatch.outcome }
        let room = try await second.room("/", of: Tallies.self)
        #expect(try await room.withStore { $0.state.count } == 40)
        for connection in connections { connection.close() }
        await second.stop()
    }

    @Test func `rooms live on one loop, their connections on any`() async throws {
        let server = SyncServer(port: 0, loops: 3, rooms: { _ in Tallies.room })
        let url = try await server.start()
        try await withThrowingTaskGroup { group in
            for number in 0..<24 {
                group.addTask {
                    let connection = RemoteConnection(url.at("/\(number % 4)"))
                    for _ in 0..<20 { connection.dispatch(Add(number: 1)) }
                    _ = try await connection.dispatch(Add(number: 1)).outcome
                    connection.close()
                }
            }
            try await group.waitForAll()
        }
        for path in 0..<4 {
            let room = try await server.room("/\(path)", of: Tallies.self)
            #expect(try await room.withStore { $0.state.count } == 6 * 21)
        }
        await server.stop()
    }

    @Test func `a connection that another loop serves hears bye too`() async throws {
        let server = SyncServer(port: 0, loops: 3, rooms: { $0 == "/" ? Tallies.room : nil })
        let url = try await server.start()
        for number in 0..<6 {
            let connection = RemoteConnection(url.at("/none-\(number)"))
            #expect(await connection.end()?.title == "There is no such room.")
        }
        await server.stop()
    }
}
