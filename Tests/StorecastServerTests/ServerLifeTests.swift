import Foundation
import Logging
import StorecastClient
import Synchronization
import Testing
import TestSupport

@testable import StorecastRoom
@testable import StorecastServer

/// How a server starts, or doesn't, and what is left of it.
@Suite(.timeLimit(.minutes(30)), .fewAtATime)
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

    /// A place for journals that has something to say.
    private struct Telling: JournalStore {
        let reports = ["A file was moved away.", "Another one as well."]

        func journal(on loop: @escaping JournalLoop) -> any Journal { MemoryJournal() }
        func close() async {}
    }

    @Test func `what is found when the journal is opened is logged before anybody comes`()
        async throws
    {
        let (logger, messages) = MessageLog.make()
        let server = SyncServer(
            port: 0, journal: JournalProvider { () throws(JournalError) in Telling() },
            logger: logger, rooms: { _ in nil })
        let url = try await server.start()
        var told: [String] = []
        for await message in messages {
            told.append(message)
            if message.hasPrefix("url: ") { break }
        }
        #expect(told.prefix(2) == ["A file was moved away.", "Another one as well."])
        #expect(told.last == "url: \(url)")
        await server.stop()
    }

    @Test func `rules for rooms that there can't be are said at the start, and at a reload`()
        async throws
    {
        let rules = try DocumentRules(
            text: #"""
                {"rules": [{"rooms": ["/a/*", "/c"], "roles": ["$everybody"], "read": [""]},
                {"rooms": ["/b"], "roles": ["$everybody"], "read": [""]}]}
                """#)
        let (logger, messages) = MessageLog.make()
        let server = SyncServer(
            port: 0, logger: logger, rules: rules, paths: try RoomPatterns(["/a/*"]),
            rooms: { _ in nil })
        _ = try await server.start()
        try await server.reload()
        var told: [String] = []
        for await message in messages {
            if message.hasPrefix("there are rules for rooms") || message == "rules reloaded" {
                told.append(message)
            }
            if told.count == 5 { break }
        }
        let warnings = ["/c", "/b"].map {
            "there are rules for rooms '\($0)', and no room has such a path"
        }
        #expect(told == warnings + ["rules reloaded"] + warnings)
        await server.stop()
    }

    @Test func `rules for roles that nobody has are said at the start, and at a reload`()
        async throws
    {
        let rules = try DocumentRules(
            text: #"""
                {"rules": [{"roles": ["editor", "$signed-in", "Admin", "voter"], "read": [""]}]}
                """#)
        let (logger, messages) = MessageLog.make()
        let tokens = TokenTable([
            TokenTable.makeToken(): Identity("ada", roles: ["voter"]),
            TokenTable.makeToken(): Identity("bob", roles: ["editors", "admin"]),
        ])
        let server = SyncServer(
            port: 0, logger: logger, authentication: .tokens(tokens), rules: rules,
            rooms: { _ in nil })
        _ = try await server.start()
        try await server.reload()
        var told: [String] = []
        for await message in messages where message.contains("rules") {
            told.append(message)
            if told.count == 3 { break }
        }
        let warning = "there are rules for roles that nobody has: Admin, editor"
        #expect(told == [warning, "rules reloaded", warning])
        await server.stop()
    }

    @Test func `a certificate that has expired is said at the start, and at a reload`()
        async throws
    {
        let files = try TestCertificates(days: -1)
        let (logger, messages) = MessageLog.make()
        let server = SyncServer(
            port: 0, certificate: try TLSCertificate(file: files.certificate, keyFile: files.key),
            logger: logger, rooms: { _ in nil })
        #expect(try await server.start().hasPrefix("wss://"))
        try await server.reload()
        try files.issue()
        try await server.reload()
        var told: [String] = []
        for await message in messages where message.contains("certificate") {
            told.append(message)
            if told.count == 4 { break }
        }
        let warning = "the certificate has expired: clients will refuse it"
        let reloaded = "certificate reloaded"
        #expect(told == [warning, reloaded, warning, reloaded])
        await server.stop()
    }

    @Test func `where operations can't be told nothing is left of the server`() async throws {
        let journal = FickleJournal()
        let port = try HeldPort()
        let server = SyncServer(
            port: 0, journal: journal.provider(), operations: OperationsAddress(port: port.number),
            rooms: { _ in Tallies.room })
        await expect(.cannotListen) { _ = try await server.start() }
        #expect(journal.users == 0 && server.operationsURL == nil)
        await expect(.notRunning) { _ = try await server.room("/", of: Tallies.self) }
    }

    @Test func `the address of operations is told as it is reached`() async throws {
        for (host, authority) in [("127.0.0.1", "127.0.0.1"), ("::1", "[::1]")] {
            let server = SyncServer(
                port: 0, operations: OperationsAddress(host: host, port: 0), rooms: { _ in nil })
            #expect(server.operationsURL == nil)
            _ = try await server.start()
            let url = try #require(server.operationsURL)
            #expect(url.hasPrefix("http://\(authority):") && url.hasSuffix("/"))
            await server.stop()
            #expect(server.operationsURL == nil)
        }
    }

    @Test func `how far rooms have come with their history is told as the program wants`()
        async throws
    {
        let (logger, messages) = MessageLog.make()
        let server = SyncServer(port: 0, logger: logger, rooms: { _ in Tallies.room })
        _ = try await server.start()
        let home = try #require(server.home(of: "/"))
        await home.tell(RoomProgress(room: "/", done: 2, total: 3), since: .seconds(1))
        await server.stop()
        #expect(await messages.contains("percent: 66"))
        let told = Mutex<[UInt64]>([])
        let own = SyncServer(port: 0, rooms: { _ in Tallies.room })
        _ = try await own.startAsPart(
            { progress in told.withLock { $0.append(progress.done) } }, reload: {})
        let other = try #require(own.home(of: "/"))
        for done in 1...3 as ClosedRange<UInt64> {
            await other.tell(RoomProgress(room: "/", done: done, total: 3))
        }
        #expect(told.withLock(\.self) == [1, 2, 3])
        await own.stop()
    }

    @Test(arguments: [1, 3])
    func `the rooms that are open are known by name, and leave when they are to`(
        loops: Int
    ) async throws {
        let (all, messages) = MessageLog.make()
        var logger = all
        logger.logLevel = .error
        let server = SyncServer(
            port: 0, journal: FickleJournal().provider(), loops: loops, logger: logger,
            rooms: { _ in Tallies.room })
        _ = try await server.start()
        let paths = (0..<6).map { "/\($0)" }
        for path in paths { _ = try await server.room(path, of: Tallies.self) }
        #expect(await server.openRooms().sorted() == paths)
        for path in paths { #expect(await server.hasRoom(path)) }
        #expect(await !server.hasRoom("/none"))
        await server.leave("/0", "It is B's.", asTold: true)
        await server.leave("/1", "B took it.", asTold: false)
        await server.leave("/none", "Nobody's.", asTold: false)
        #expect(await server.openRooms().sorted() == Array(paths.dropFirst(2)))
        #expect(await !server.hasRoom("/0"))
        await server.prepareToLeave("/2")
        #expect(await server.hasRoom("/2"))
        await server.stop()
        #expect(await server.openRooms() == [])
        #expect(await !server.hasRoom("/2"))
        // That a room is given away on purpose is no error.
        let left = await messages.first { $0.contains("is left to another server") }
        #expect(left == "The room '/1' is left to another server: B took it.")
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

extension ServerLoop {
    /// Tells the loop how far a room has come, and that it has been read for so long.
    fileprivate func tell(_ progress: RoomProgress, since time: Duration? = nil) {
        guard let core else { return }
        if let time { _ = core.recoveries.isDue(progress, at: core.now - time) }
        core.progressed(progress)
    }
}
