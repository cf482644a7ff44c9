import Dispatch
import Glibc
import StorecastClient
import Synchronization
import Testing
import TestSupport

@testable import StorecastRoom
@testable import StorecastServer

@Suite(.timeLimit(.minutes(30)), .fewAtATime)
struct UnloadingTests {
    @Test func `a room that nobody is in leaves memory, and is there again when it is used`()
        async throws
    {
        let opened = Atomic(0)
        let (logger, messages) = MessageLog.make()
        var limits = SyncLimits()
        limits.unloadAfter = .zero
        let server = SyncServer(
            port: 0, journal: FickleJournal().provider(), limits: limits, logger: logger,
            rooms: { _ in
                Tallies.room.onOpen { _ in opened.add(1, ordering: .relaxed) }
            })
        let url = try await server.start()
        let client = RemoteConnection(url)
        _ = try await client.dispatch(Add(number: 2)).outcome
        // Enough for a snapshot to be worth while.
        for _ in 0..<200 { _ = client.dispatch(Add(number: 0)) }
        _ = try await client.dispatch(Add(number: 0)).outcome
        client.close()
        #expect(await messages.contains("room unloaded"))
        let room = try await server.room("/", of: Tallies.self)
        #expect(await messages.contains("room unloaded"))
        #expect(try await room.withStore { $0.state.count } == 2)
        #expect(await messages.contains("room unloaded"))
        #expect(try await room.dispatch(Add(number: 3)).outcome.version == 203)
        #expect(await messages.contains("room unloaded"))
        let again = RemoteConnection(url)
        #expect(try await again.dispatch(Add(number: 4)).outcome.version == 204)
        #expect(try await room.withStore { $0.state.count } == 9)
        #expect(opened.load(ordering: .relaxed) == 5)
        again.close()
        await server.stop()
    }
}

/// What the loop of a room hears of connections, whichever loop holds them.
///
/// Which loop takes a connection is the system's choice: of a dozen some are on each.
@Suite(.timeLimit(.minutes(30)), .fewAtATime)
struct ConnectionEndTests {
    private static let dozen = (0..<12).map { "user-\($0)" }

    private let witness = Witness()

    private func server(_ loops: Int, _ change: (inout SyncLimits) -> Void = { _ in }) -> SyncServer
    {
        var limits = SyncLimits()
        change(&limits)
        let room = Attended.room
        return SyncServer(
            port: 0, journal: FickleJournal().provider(), loops: loops, limits: limits,
            extensions: [witness.serverExtension],
            rooms: { $0.hasPrefix("/none") ? nil : room },
            authenticate: { Identity($0.token ?? "") })
    }

    /// Connections that are live, one for each path.
    private func connect(_ url: String, to paths: [String]) async -> [RemoteConnection] {
        let connections = zip(paths, Self.dozen).map { path, user in
            RemoteConnection(url.at(path), token: { user })
        }
        for connection in connections { #expect(await connection.isLive()) }
        return connections
    }

    @Test(arguments: [1, 3])
    func `who goes isn't present any more, and the others are`(loops: Int) async throws {
        let server = server(loops)
        let url = try await server.start()
        let connections = await connect(url, to: Self.dozen.map { _ in "/" })
        let room = try await server.room("/", of: Attended.self)
        func isPresent(_ users: some Sequence<String>) async throws -> Bool {
            let wanted = Set(users)
            return try await eventually {
                let present = try await room.withStore { $0.state.presence.participants }
                return Set(present.map(\.id)) == wanted && present.count == wanted.count
            }
        }
        try #require(try await isPresent(Self.dozen))
        for connection in connections.prefix(6) { connection.close() }
        try #require(try await isPresent(Self.dozen.dropFirst(6)))
        let again = await connect(url, to: ["/", "/"])
        try #require(try await isPresent(Self.dozen.prefix(2) + Self.dozen.dropFirst(6)))
        for connection in again + connections { connection.close() }
        try #require(try await isPresent([]))
        await server.stop()
    }

    @Test(arguments: [1, 3])
    func `rooms leave memory when their last visitors have gone`(loops: Int) async throws {
        let server = server(loops) { $0.unloadAfter = .zero }
        let paths = (0..<6).map { "/\($0)" }
        let connections = await connect(try await server.start(), to: paths + paths)
        for connection in connections { _ = try await connection.dispatch(SetStatus("x")).outcome }
        for connection in connections.prefix(7) { connection.close() }
        // Only in the first room is nobody left.
        try #require(await eventually { witness.unloaded == ["/0"] })
        for connection in connections { connection.close() }
        try #require(await eventually { witness.unloaded.sorted() == paths })
        await server.stop()
    }

    @Test(arguments: [1, 3])
    func `extensions hear of each connection's beginning and end, once`(loops: Int) async throws {
        let server = server(loops)
        let url = try await server.start()
        let paths = (0..<4).map { "/\($0)" } + [Witness.path]
        let connections = await connect(url, to: paths + paths)
        #expect(witness.open == (paths + paths).sorted())
        for connection in connections.prefix(5) { connection.close() }
        try #require(await eventually { witness.open == paths.sorted() })
        for number in 0..<6 {
            let refused = RemoteConnection(url.at("/none-\(number)"))
            #expect(await refused.end() != nil)
        }
        #expect(witness.open == paths.sorted(), "Where there is no room nobody was.")
        let again = await connect(url, to: paths)
        #expect(witness.open == (paths + paths).sorted())
        for connection in again + connections { connection.close() }
        try #require(await eventually { witness.open.isEmpty })
        #expect(witness.opened == 15)
        #expect(witness.problems == [])
        await server.stop()
    }

    @Test func `an extension's room isn't one to be revoked or given away with the others`()
        async throws
    {
        let server = server(1)
        let connections = await connect(try await server.start(), to: ["/", Witness.path])
        #expect(await server.openRooms() == ["/"])
        #expect(await server.revoke { _ in true } == 1)
        #expect(connections[1].status == .live)
        for connection in connections { connection.close() }
        await server.stop()
    }

    @Test(arguments: [1, 3])
    func `who sends more pings than messages may come is read no further for a while`(
        loops: Int
    ) async throws {
        let server = server(loops) {
            $0.setRates(.unlimited)
            $0.connectionRate = SyncRate(messages: 1, bytes: .infinity, actions: .infinity)
            $0.closeTimeout = .milliseconds(20)
        }
        let url = try await server.start()
        let clients = try Self.dozen.map { _ in try PlainRequest.connect(url) }
        defer { for client in clients { close(client) } }
        let pings = (1...100).flatMap { _ in [0x89, 0x80, 0, 0, 0, 0] as [UInt8] }
        let bytes = Array(PlainRequest.upgrade().utf8) + pings
        for client in clients {
            try #require(send(client, bytes, bytes.count, Int32(MSG_NOSIGNAL)) == bytes.count)
        }
        let home = try #require(server.home(of: "/"))
        #expect(await eventually { await home.timesReached("connection-rate") == clients.count })
        await server.stop()
    }

    @Test(arguments: [1, 3])
    func `who sends many pings and messages is read on, whichever loop holds the connection`(
        loops: Int
    ) async throws {
        let server = server(loops) {
            $0.setRates(.unlimited)
            $0.relayedBytes = 1000
        }
        let url = try await server.start()
        let hello = #"{"op":"hello","proto":1,"client":"fedcba9876543210fedcba9876543210"}"#
        // Of both it sends more in all than may be on its way to another loop; a ping counts as a byte.
        let pings = (1...100).flatMap { _ in [0x89, 0x80, 0, 0, 0, 0] as [UInt8] }
        let space = String(repeating: " ", count: 100)
        let question = pings + PlainRequest.frame(#"{"op":"ping"\#(space)}"#)
        for _ in Self.dozen {
            let client = try PlainRequest.connect(url)
            defer { close(client) }
            let beginning = Array(PlainRequest.upgrade().utf8) + PlainRequest.frame(hello)
            try await ask(client, beginning, "welcome")
            for _ in 1...16 { try await ask(client, question, "pong") }
        }
        await server.stop()
    }

    /// Sends bytes, and waits for a message of this kind: not on a thread of the pool, where what the
    /// server awaits runs.
    private func ask(_ client: Int32, _ bytes: [UInt8], _ kind: String) async throws {
        try #require(send(client, bytes, bytes.count, Int32(MSG_NOSIGNAL)) == bytes.count)
        let isAnswered = await withCheckedContinuation { continuation in
            DispatchQueue.global().async {
                var heard = ""
                var chunk = [UInt8](repeating: 0, count: 4096)
                while !heard.contains(#""op":"\#(kind)""#) {
                    let count = recv(client, &chunk, chunk.count, 0)
                    guard count > 0 else { return continuation.resume(returning: false) }
                    heard += String(decoding: chunk[..<count], as: UTF8.self)
                }
                continuation.resume(returning: true)
            }
        }
        try #require(isAnswered, "There is no \(kind).")
    }
}

extension ServerLoop {
    /// How often connections to the loop's rooms reached a limit.
    fileprivate func timesReached(_ limit: String) -> Int {
        core?.rooms.flushes.counts.limits[limit] ?? 0
    }
}

/// What changes while the last write is on its way to a connection comes behind it.
@MainActor @Suite(.timeLimit(.minutes(30)), .fewAtATime)
struct NewestChangesTests {
    @Test(arguments: [1, 3])
    func `everybody sees the last of many changes, whichever loop holds the connection`(
        loops: Int
    ) async throws {
        let server = SyncServer(port: 0, loops: loops, rooms: { _ in Tallies.room })
        let url = try await server.start()
        // The system chooses the loops.
        let connections = (0..<8).map { _ in RemoteConnection(url) }
        let stores = connections.map { RemoteStore(Tallies.count, on: $0) }
        try #require(await eventually { stores.allSatisfy { $0.state == 0 } })
        let room = try await server.room("/", of: Tallies.self)
        var count = 0
        for length in 1...20 {
            // Each in a turn of its own, so that some come before the last has arrived.
            for _ in 1...length { _ = try await room.dispatch(Add(number: 1)).outcome }
            count += length
            // Nothing more happens until everybody has seen it.
            try #require(await eventually { stores.allSatisfy { $0.state == count } })
        }
        for connection in connections { connection.close() }
        await server.stop()
    }
}

/// A client that asks on and on and doesn't read what it is answered.
@Suite(.timeLimit(.minutes(30)), .fewAtATime)
struct UnreadAnswersTests {
    /// Its name is in every answer to a question for another one, so that few fill all buffers.
    private static let selection = String(repeating: "x", count: 2000)
    private static let room = RoomDefinition(
        state: 0, actions: [], selections: [Selection(selection) { (state: Int) in state }]
    ) { _, _ in }
    /// More than the system's buffers take while the server doesn't read.
    private static let most = 16 << 20

    @Test(arguments: [1, 3])
    func `soon nothing more is read from it, whichever loop holds it`(loops: Int) async throws {
        var limits = SyncLimits()
        // The way between loops stops the client for moments only.
        limits.relayedBytes = 8 << 10
        let server = SyncServer(
            port: 0, loops: loops, limits: limits, rooms: { _ in Self.room })
        let url = try await server.start()
        // The system chooses the loop; some aren't the room's.
        for _ in 1...loops {
            let client = try PlainRequest.connect(url)
            defer { close(client) }
            var limit = timeval(tv_sec: 0, tv_usec: 200_000)
            setsockopt(
                client, SOL_SOCKET, SO_SNDTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
            let hello = #"{"op":"hello","proto":1,"client":"fedcba9876543210fedcba9876543210"}"#
            let bytes = Array(PlainRequest.upgrade().utf8) + PlainRequest.frame(hello)
            try #require(send(client, bytes, bytes.count, Int32(MSG_NOSIGNAL)) == bytes.count)
            try #require(try stalls(client))
        }
        await server.stop()
    }

    /// Sends questions until for a while none are taken; false if too many are.
    private func stalls(_ client: Int32) throws -> Bool {
        let question = PlainRequest.frame(#"{"op":"subscribe","ref":1,"select":"none"}"#)
        let questions = (1...1000).flatMap { _ in question }
        var total = 0
        while total < Self.most {
            let rest = questions[(total % questions.count)...]
            let count = rest.withUnsafeBytes {
                send(client, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
            }
            if count < 0 {
                try #require(errno == EAGAIN, "The connection is over.")
                return true
            }
            total += count
        }
        return false
    }
}

/// Who is in a room.
private struct Attended: Codable, Sendable {
    var presence = Presence()

    static let room = RoomDefinition(
        state: Attended(), actions: [SetStatus.self], selections: []
    ) { room, action in
        room.presence.reduce(action)
    }
    .lifecycle(grace: .milliseconds(1))
    .allowAll(.open)
}

/// An extension that keeps what it is told.
private final class Witness: Sendable {
    static let path = "/witness"

    private struct State {
        var paths: [UInt64: String] = [:]
        var unloaded: [String] = []
        var opened = 0
        var problems: [String] = []
    }

    private let state = Mutex(State())

    var serverExtension: ServerExtension {
        ServerExtension(path: Self.path) { [self] _ in Part(witness: self) }
    }

    /// The rooms of the connections that have begun and not ended, in alphabetical order.
    var open: [String] { state.withLock { $0.paths.values.sorted() } }
    /// How many connections have begun.
    var opened: Int { state.withLock(\.opened) }
    /// The rooms that have left memory.
    var unloaded: [String] { state.withLock(\.unloaded) }
    /// What was told that can't be.
    var problems: [String] { state.withLock(\.problems) }

    private final class Part: LoopExtension {
        let witness: Witness

        init(witness: Witness) {
            self.witness = witness
        }

        func makeRoom(_ context: RoomContext) -> any AnyRoom { Tallies.room.open(context) }

        func identity(token: String?) -> Result<Identity, Rejection> { .success(.anonymous) }

        func opened(
            _ connection: UInt64, _ credentials: Credentials
        ) -> (any ConnectionObserver)? {
            witness.state.withLock { state in
                state.opened += 1
                if state.paths.updateValue(credentials.path, forKey: connection) != nil {
                    state.problems.append("\(connection) has begun twice.")
                }
            }
            return nil
        }

        func closed(_ connection: UInt64) {
            witness.state.withLock { state in
                if state.paths.removeValue(forKey: connection) == nil {
                    state.problems.append("\(connection) has ended, and hadn't begun.")
                }
            }
        }

        func unloaded(_ room: any AnyRoom) {
            witness.state.withLock { $0.unloaded.append(room.name) }
        }
    }
}

/// The bounds of ``SyncLimits`` that a room knows nothing of.
@Suite(.timeLimit(.minutes(30)), .fewAtATime)
struct ServerLimitsTests {
    /// What comes of a text, until the server ends the connection.
    private func answer(
        to text: String = PlainRequest.upgrade(), _ change: (inout SyncLimits) -> Void
    ) async throws -> String {
        var limits = SyncLimits()
        limits.closeTimeout = .milliseconds(20)
        change(&limits)
        let server = SyncServer(port: 0, limits: limits, rooms: { _ in Tallies.room })
        let url = try await server.start()
        let answer = try await PlainRequest.answer(to: text, at: url)
        await server.stop()
        return answer
    }

    @Test func `who doesn't say hello in time is told, and cut off`() async throws {
        let answer = try await answer { $0.helloTimeout = .milliseconds(20) }
        #expect(answer.contains("101 Switching Protocols"))
        #expect(answer.contains(#""code":"hello-timeout""#))
    }

    @Test func `one room more than a loop may have is refused`() async throws {
        #expect(try await answer { $0.rooms = 0 }.contains(#""code":"full""#))
    }

    @Test func `one connection more than a loop may have is refused`() async throws {
        #expect(try await answer { $0.connections = 0 }.hasPrefix("HTTP/1.1 503"))
    }

    @Test func `who doesn't end its request in time is cut off`() async throws {
        let answer = try await answer(to: "GET / HTTP/1.1\r\n") {
            $0.handshakeTimeout = .milliseconds(20)
        }
        #expect(!answer.contains("200"))
    }

    @Test func `who comes while the process has too much memory in use is told to come again`()
        async throws
    {
        var limits = SyncLimits()
        limits.memory = 1
        limits.closeTimeout = .milliseconds(20)
        let (logger, messages) = MessageLog.make()
        let server = SyncServer(
            port: 0, limits: limits, logger: logger, rooms: { _ in Tallies.room })
        let url = try await server.start()
        // It looks once a second.
        let line = await messages.first { $0.contains("more than the limit 'memory' of 0 MiB") }
        #expect(line != nil)
        let answer = try await PlainRequest.answer(to: PlainRequest.upgrade(), at: url)
        #expect(answer.contains(#""code":"full""#))
        await server.stop()
    }

    @Test func `who is silent for too long is cut off`() async throws {
        let answer = try await answer {
            $0.pingInterval = .milliseconds(10)
            $0.silence = .milliseconds(40)
        }
        #expect(answer.contains("101 Switching Protocols"))
        #expect(!answer.contains("bye"))
    }
}

extension ServerLimitsTests {
    /// What reaches a limit of the sockets, and what that is called where limits are counted.
    private static let reached: [(String, @Sendable (inout SyncLimits) -> Void)] = [
        ("connections", { $0.connections = 0 }),
        ("handshake-timeout", { $0.handshakeTimeout = .milliseconds(20) }),
        ("silence", { ($0.pingInterval, $0.silence) = (.milliseconds(10), .milliseconds(40)) }),
        ("hello-timeout", { $0.helloTimeout = .milliseconds(20) }),
    ]

    @Test(arguments: reached.indices)
    func `it is counted that a limit was reached`(row: Int) async throws {
        let (limit, change) = Self.reached[row]
        var limits = SyncLimits()
        limits.closeTimeout = .milliseconds(20)
        change(&limits)
        let server = SyncServer(port: 0, limits: limits, rooms: { _ in Tallies.room })
        let url = try await server.start()
        let request = limit == "handshake-timeout" ? "GET / HTTP/1.1\r\n" : PlainRequest.upgrade()
        let answer = try await PlainRequest.answer(to: request, at: url)
        let isRefused = limit == "connections"
        #expect(answer.hasPrefix("HTTP/1.1 503 ") == isRefused)
        #expect(answer.contains("\r\nRetry-After: 5\r\n") == isRefused)
        let home = try #require(server.home(of: "/"))
        #expect(await eventually { await home.timesCounted(limit) == 1 })
        await server.stop()
    }
}

extension ServerLoop {
    /// How often a limit was reached, as the metrics have it.
    fileprivate func timesCounted(_ limit: String) -> Int {
        core?.report().counts[MetricKey(metric: .limits, labels: [limit])] ?? 0
    }
}

struct RecoveryReportsTests {
    @Test func `progress is told after a second, and then every five seconds, until the end`() {
        var reports = RecoveryReports()
        let half = RoomProgress(room: "/", done: 1, total: 2)
        #expect(reports.isDue(half, at: .zero) == false)
        #expect(reports.isDue(half, at: .milliseconds(999)) == false)
        #expect(reports.isDue(half, at: .seconds(1)) == true)
        #expect(reports.isDue(half, at: .milliseconds(5900)) == false)
        #expect(
            reports.isDue(RoomProgress(room: "/b", done: 1, total: 2), at: .seconds(6)) == false)
        #expect(reports.isDue(half, at: .seconds(6)) == true)
        #expect(
            reports.isDue(RoomProgress(room: "/", done: 2, total: 2), at: .seconds(12)) == false)
        #expect(reports.isDue(half, at: .seconds(12)) == false)
    }
}
