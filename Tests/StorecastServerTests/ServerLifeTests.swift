import Foundation
import StorecastClient
import Synchronization
import Testing
import TestSupport

@testable import StorecastRoom
@testable import StorecastServer

/// How a server starts, or doesn't, and what is left of it.
@Suite(.timeLimit(.minutes(10)), .fewAtATime)
struct ServerLifeTests {
    /// Is held by whatever a server was given.
    private final class Token: Sendable {}

    /// A room that holds a token.
    private func room(_ token: Token) -> RoomDefinition<Tallies> {
        Tallies.room.onOpen { _ in withExtendedLifetime(token) {} }
    }

    private func expect(
        _ code: ServerError.Code, sourceLocation: SourceLocation = #_sourceLocation,
        _ body: () async throws -> Void
    ) async {
        do {
            try await body()
            Issue.record("Nothing is thrown.", sourceLocation: sourceLocation)
        } catch {
            #expect((error as? ServerError)?.code == code, sourceLocation: sourceLocation)
        }
    }

    @Test func `tokens that can't be read are told when it starts, and may be mended until then`()
        async throws
    {
        let folder = try TemporaryDirectory()
        let file = folder.file("tokens.json")
        func server() -> SyncServer {
            SyncServer(port: 0, authentication: .tokens(file: file), rooms: { _ in Tallies.room })
        }
        await expect(.tokensUnreadable) { _ = try await server().start() }
        let mended = server()
        let token = TokenTable.makeToken()
        try #"[{"token":"\#(token)","id":"ada"}]"#.write(
            toFile: file, atomically: true, encoding: .utf8)
        let connection = RemoteConnection(try await mended.start(), token: { token })
        #expect(await connection.isLive())
        #expect(connection.identity?.id == "ada")
        connection.close()
        await mended.stop()
    }

    @Test func `a server starts once, and stops however often`() async throws {
        let server = SyncServer(port: 0, room: Tallies.room)
        await expect(.notRunning) { _ = try await server.room("/", of: Tallies.self) }
        _ = try await server.start()
        await expect(.alreadyStarted) { _ = try await server.start() }
        _ = try await server.room("/", of: Tallies.self)
        for _ in 1...2 {
            await server.stop()
            await expect(.alreadyStarted) { _ = try await server.start() }
            await expect(.notRunning) { _ = try await server.room("/", of: Tallies.self) }
        }
    }

    @Test(arguments: [1, 2])
    func `a server listens on the socket that it is given, and leaves it open`(loops: Int)
        async throws
    {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        defer { close(descriptor) }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        let isBound = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
            }
        }
        #expect(isBound)
        func server() -> SyncServer {
            SyncServer(
                port: 1, listeningSocket: descriptor, loops: loops, rooms: { _ in Tallies.room })
        }
        // It has to listen already.
        await expect(.cannotListen) { _ = try await server().start() }
        #expect(listen(descriptor, 8) == 0)
        // The second server finds it as the first did.
        for _ in 1...2 {
            let server = server()
            let url = try await server.start()
            #expect(!url.hasSuffix(":1/"))
            let connection = RemoteConnection(url)
            _ = try await connection.dispatch(Add(number: 1)).outcome
            connection.close()
            await server.stop()
        }
    }

    @Test func `a server that was stopped before it started doesn't start`() async {
        let journal = FickleJournal()
        let server = SyncServer(
            port: 0, journal: journal.provider(), rooms: { _ in Tallies.room })
        await server.stop()
        await expect(.alreadyStarted) { _ = try await server.start() }
        #expect(journal.users == 0)
    }

    @Test(arguments: [1, 3])
    func `a server that is stopped while it starts doesn't run, and leaves nothing`(
        loops: Int
    ) async throws {
        let journal = FickleJournal()
        func serve() async throws -> () -> Bool {
            let token = Token()
            let room = room(token)
            let (isOpening, tellOpening) = AsyncStream<Void>.makeStream()
            let (mayGoOn, goOn) = AsyncStream<Void>.makeStream()
            let server = SyncServer(
                port: 0,
                journal: journal.provider { () async throws(JournalError) in
                    tellOpening.yield()
                    for await _ in mayGoOn.limited {}
                },
                loops: loops, rooms: { _ in room })
            let starting = Task { try await server.start() }
            for await _ in isOpening.limited { break }
            await expect(.alreadyStarted) { _ = try await server.start() }
            await expect(.notRunning) { _ = try await server.room("/", of: Tallies.self) }
            await server.stop()
            goOn.finish()
            await expect(.notRunning) { _ = try await starting.value }
            await expect(.notRunning) { _ = try await server.room("/", of: Tallies.self) }
            #expect(journal.users == 0, "Its journal is closed.")
            await server.stop()
            return { [weak token] in token == nil }
        }
        let isGone = try await serve()
        #expect(await eventually(isGone))
    }

    /// Somebody takes the port after the server has looked whether it is free.
    @Test(arguments: [1, 3])
    func `a server that can't listen in the end closes its journal, and leaves nothing`(
        loops: Int
    ) async throws {
        let journal = FickleJournal()
        func serve() async throws -> () -> Bool {
            let token = Token()
            let room = room(token)
            let port = try HeldPort(isShared: true)
            let server = SyncServer(
                port: port.number,
                journal: journal.provider { () async throws(JournalError) in port.listen() },
                loops: loops, rooms: { _ in room })
            await expect(.cannotListen) { _ = try await server.start() }
            #expect(journal.users == 0, "Its journal is closed.")
            await expect(.notRunning) { _ = try await server.room("/", of: Tallies.self) }
            await server.stop()
            return { [weak token] in token == nil }
        }
        let isGone = try await serve()
        #expect(await eventually(isGone))
    }

    /// A connection that came before would wait in vain for the loop of its room.
    @Test(arguments: [1, 3])
    func `nobody is let in before all loops have begun`(loops: Int) async throws {
        let port = try HeldPort(isShared: true)
        let answers = Mutex<[Bool]>([])
        let server = SyncServer(
            port: port.number,
            journal: FickleJournal().provider(beginning: {
                answers.withLock { $0.append(port.answers()) }
            }), loops: loops, rooms: { _ in Tallies.room })
        _ = try await server.start()
        #expect(answers.withLock(\.self) == Array(repeating: false, count: loops))
        #expect(port.answers())
        await server.stop()
    }

    @Test(
        arguments: [
            (.damaged("Not a journal."), .journalUnreadable, "Not a journal."),
            (.unavailable("In use."), .journalUnavailable, "In use."),
            (.unknownOutcome("No."), .journalUnavailable, "No."),
            (.truncated(below: 7), .journalUnavailable, "7"),
        ] as [(JournalError, ServerError.Code, String)])
    func `a journal that can't be opened is said, and the port is free`(
        error: JournalError, code: ServerError.Code, text: String
    ) async throws {
        let port = try HeldPort(isShared: true)
        let journal = JournalProvider { () throws(JournalError) in throw error }
        let server = SyncServer(
            port: port.number, journal: journal, rooms: { _ in Tallies.room })
        let thrown = await #expect(throws: ServerError.self) { try await server.start() }
        #expect(thrown?.code == code)
        #expect(thrown?.description.contains(text) == true)
        await expect(.alreadyStarted) { _ = try await server.start() }
        let next = SyncServer(port: port.number, rooms: { _ in Tallies.room })
        _ = try await next.start()
        await next.stop()
    }

    @Test(
        arguments: [
            ("127.0.0.1", "127.0.0.1"), ("localhost", "localhost"), ("0.0.0.0", "0.0.0.0"),
            ("::1", "[::1]"), ("::", "[::]"), ("0:0:0:0:0:0:0:1", "[0:0:0:0:0:0:0:1]"),
        ])
    func `the URL of a server leads to it`(host: String, authority: String) async throws {
        let server = SyncServer(host: host, port: 0, rooms: { _ in Tallies.room })
        let url = try await server.start()
        let port = try #require(url.dropLast().split(separator: ":").last.flatMap { Int($0) })
        #expect(url == "ws://\(authority):\(port)/")
        let connection = RemoteConnection(url)
        #expect(await connection.isLive())
        connection.close()
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
}
