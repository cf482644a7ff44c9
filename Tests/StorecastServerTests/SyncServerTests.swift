@preconcurrency import Glibc
import StorecastClient
@testable import StorecastServer
import Synchronization
import Testing

@Suite(.timeLimit(.minutes(1)))
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

    @Test func `a path without a room closes for good, and says why`() async throws {
        let server = SyncServer(port: 0, room: Tallies.room)
        let connection = RemoteConnection(try await server.start().at("/nowhere"))
        let dispatch = connection.dispatch(Add(number: 1))
        #expect(await connection.end()?.code == Rejection.Code("no-room"))
        await #expect(throws: Rejection.self) { _ = try await dispatch.outcome }
        await server.stop()
    }

    @Test func `authentication says who it is, refuses, or fails`() async throws {
        let server = SyncServer(port: 0, rooms: { _ in Tallies.room }) { credentials in
            switch credentials.token {
            case "ada": return Identity("ada")
            case "broken": throw CancellationError()
            case "mallory": throw Rejection(.forbidden, "Not you.")
            default: throw Rejection(.unauthenticated, "Bad token.")
            }
        }
        let url = try await server.start()
        let ada = RemoteConnection(url, token: { "ada" })
        _ = try await ada.dispatch(Add(number: 1)).outcome
        let room = try await server.room("/", of: Tallies.self)
        #expect(try await room.withStore { $0.state.last } == "ada")
        ada.close()
        for (token, code) in [
            ("eve", Rejection.Code.unauthenticated), ("broken", .unauthenticated),
            ("mallory", .forbidden),
        ] {
            let connection = RemoteConnection(url, token: { token })
            let end = await connection.end()
            #expect(end?.code == code)
            // What an error of the server says is not for clients.
            #expect(end?.title.contains("Cancellation") == false)
        }
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

    @Test func `what is logged of credentials has no secrets in it`() {
        let credentials = Credentials(
            token: "s3cret", path: "/room", address: "::1",
            headers: ["cookie": "id=7", "authorization": "Basic x", "host": "h"])
        #expect("\(credentials)" == "/room from ::1")
        let text = credentials.redacting("Bad s3cret, Basic x or id=7 (s3cret) at h.")
        #expect(text == "Bad …, … or … (…) at h.")
    }

    @Test func `a client whose token can't be had tries again`() async throws {
        let server = SyncServer(port: 0, rooms: { _ in Tallies.room }) { _ in Identity("ada") }
        let url = try await server.start()
        let tries = Tries()
        let connection = RemoteConnection(
            url,
            token: {
                if await tries.next() == 1 { throw CancellationError() }
                return "token"
            })
        #expect(await connection.isLive())
        #expect(await tries.count == 2)
        connection.close()
        await server.stop()
    }

    @Test func `a server starts once`() async throws {
        let server = SyncServer(port: 0, room: Tallies.room)
        _ = try await server.start()
        await #expect(throws: ServerError.self) { try await server.start() }
        await server.stop()
        await #expect(throws: ServerError.self) { try await server.start() }
        await #expect(throws: ServerError.self) { try await server.room("/", of: Tallies.self) }
        await server.stop()
    }

    @Test(arguments: ["8.8.8.8", "300.1.1.1"])
    func `an address of another machine is said, without a word on the port`(
        host: String
    ) async throws {
        let server = SyncServer(host: host, port: 0, rooms: { _ in Tallies.room })
        let error = await #expect(throws: ServerError.self) { try await server.start() }
        #expect(error?.code == .cannotListen)
        #expect(error?.description.contains("address of this machine") == true)
        #expect(error?.description.contains("another port") == false)
        #expect(error?.description.split(separator: host).count == 2, "It is named once.")
    }

    @Test(arguments: [1, 2])
    func `a port in use is said, with what to do, before a journal is made`(
        _ loops: Int
    ) async throws {
        let first = SyncServer(port: 0, loops: loops, rooms: { _ in Tallies.room })
        let port = try #require(Int(try await first.start().dropLast().split(separator: ":")[2]))
        let opened = Mutex(false)
        let journal = JournalProvider { () throws(JournalError) in
            opened.withLock { $0 = true }
            return MemoryJournalStore(capacity: 1)
        }
        let second = SyncServer(
            port: port, journal: journal, loops: loops, rooms: { _ in Tallies.room })
        do {
            _ = try await second.start()
            Issue.record("Two servers listen on one port.")
        } catch {
            #expect(error.code == .cannotListen)
            #expect(error.description.contains("\(port)"))
            #expect(error.description.contains("Choose another port"))
        }
        #expect(!opened.withLock { $0 }, "No journal is left behind.")
        await first.stop()
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

private actor Tries {
    private(set) var count = 0

    func next() -> Int {
        count += 1
        return count
    }
}
