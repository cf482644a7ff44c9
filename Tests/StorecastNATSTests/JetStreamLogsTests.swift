import StorecastRoom
import StorecastSync
import StorecastTesting
import StorecastWebSocket
import Synchronization
import Testing

@testable import StorecastNATS

/// What a writer does when NATS comes back with less than it had.
struct JetStreamLogsTests {
    /// A log in memory, as a NATS server is that forgets its end, and doesn't always answer.
    private final class MemoryLog: LogService {
        struct State {
            var messages: [JetStream.Kept] = []
            var reconnects = 0
            /// How many of the next questions where the log ends get no answer.
            var silent = 0
            var questions = 0
            /// Nobody can tell what became of what is written.
            var isUnsure = false
            /// How many copies it was asked to have of each stream.
            var replicas: [String: Int] = [:]
        }

        let loop: EventLoop
        let state = Mutex(State())

        init() throws { loop = try EventLoop(name: "log") }

        var executor: any SerialExecutor { loop }
        var tasks: (any TaskExecutor)? { nil }
        var mostBytes: Int { 1 << 20 }
        var now: Duration { .zero }
        var connections: (isConnected: Bool, reconnects: Int) {
            (true, state.withLock { $0.reconnects })
        }

        func pause(_ time: Duration) async {}
        func stream(
            _ name: String, subjects: [String], replicas: Int, keepsNewestOnly: Bool
        ) async throws(NATSError) -> String {
            state.withLock { $0.replicas[name] = replicas }
            return "2026"
        }

        func subjects(_ filter: String, of stream: String) async throws(NATSError) -> [String] {
            []
        }

        func write(
            _ payload: [UInt8], to subject: String, headers: NATSHeaders, behind expected: UInt64?,
            on connection: Int?
        ) async -> JetStream.Written {
            state.withLock { state in
                if let connection, connection != state.reconnects {
                    return .busy(JetStream.reconnected)
                }
                if state.isUnsure { return .unknown("a test") }
                let last = state.messages.last?.sequence ?? 0
                if let expected, expected != last { return .notAtEnd }
                state.messages.append(
                    JetStream.Kept(
                        sequence: last + 1, subject: subject, headers: headers, payload: payload))
                return .kept(last + 1)
            }
        }

        func last(
            of subject: String, in stream: String
        ) async throws(NATSError) -> JetStream.Kept? {
            let answer: Result<JetStream.Kept?, NATSError> = state.withLock { state in
                state.questions += 1
                guard state.silent > 0 else { return .success(state.messages.last) }
                state.silent -= 1
                return .failure(.unanswered("a test"))
            }
            return try answer.get()
        }

        func count(of subject: String, in stream: String) async throws(NATSError) -> Int {
            state.withLock { $0.messages.count }
        }

        func page(
            of subject: String, in stream: String, from sequence: UInt64, count: Int, bytes: Int
        ) async throws(NATSError) -> (messages: [JetStream.Kept], hasMore: Bool) {
            let found = state.withLock { $0.messages.filter { $0.sequence >= sequence } }
            return (Array(found.prefix(count)), found.count > count)
        }

        func purge(
            _ subject: String, of stream: String, below sequence: UInt64?
        ) async throws(NATSError) {
            state.withLock { state in state.messages.removeAll { $0.sequence < sequence ?? .max } }
        }

        func publish(_ payload: [UInt8], to subject: String) async throws(NATSError) {}
        func onReconnection(_ body: @escaping @Sendable () -> Void) async {}
        func listen(to subject: String, receive: @escaping @Sendable (NATSMessage) -> Void) async {}
        func ask(
            _ subject: String, _ payload: [UInt8], timeout: Duration
        ) async throws(NATSError) -> NATSMessage { throw .unanswered(subject) }
    }

    /// A writer of `/a`, whose log has two messages with entries; and that log.
    private static func writer() async throws -> (logs: JetStreamLogs, nats: MemoryLog) {
        let nats = try MemoryLog()
        let logs = JetStreamLogs(nats, JetStreamLayout(name: "test", streams: 1, replicas: 1))
        try await logs.prepare()
        _ = try await logs.open("/a")
        _ = try await logs.append(JournalSample.notes(1), to: "/a")
        _ = try await logs.append(JournalSample.notes(1, from: 2), to: "/a")
        return (logs, nats)
    }

    @Test func `NATS has as many copies of entries and snapshots as it is to have`() async throws {
        let nats = try MemoryLog()
        let layout = JetStreamLayout(name: "test", streams: 2, replicas: 3)
        try await JetStreamLogs(nats, layout).prepare()
        let streams = [layout.stream(0), layout.stream(1), layout.snapshotStream]
        #expect(
            nats.state.withLock { $0.replicas }
                == Dictionary(uniqueKeysWithValues: streams.map { ($0, 3) }))
        await nats.loop.shutDown()
    }

    /// However often it isn't answered: the number alone, which is the same, doesn't prove it.
    @Test(arguments: 0...2)
    func `a writer reads where the log ends after each reconnection, until it is answered`(
        silent: Int
    ) async throws {
        let (logs, nats) = try await Self.writer()
        // The last message is lost, and another server has written one since.
        let others = JetStreamLogs(nats, logs.layout)
        try await others.prepare()
        nats.state.withLock { _ = $0.messages.popLast() }
        _ = try await others.open("/a")
        nats.state.withLock { state in
            #expect(state.messages.count == 2)
            state.reconnects += 1
            state.silent = silent
        }
        await #expect(throws: JournalError.self) {
            try await logs.append(JournalSample.notes(1, from: 3), to: "/a")
        }
        #expect(nats.state.withLock { $0.messages.count } == 2)
        #expect(try await logs.hasLostEnd(of: "/a"))
        await nats.loop.shutDown()
    }

    /// Of an empty room nobody has a mark that would be refused. One with entries may be taken over
    /// by a server that the room was given to before, and whose question was answered late.
    @Test(arguments: [true, false])
    func `who has a room finds out that another has written there`(isEmpty: Bool) async throws {
        let nats = try MemoryLog()
        let both = [0, 1].map { _ in
            JetStreamLogs(nats, JetStreamLayout(name: "test", streams: 1, replicas: 1))
        }
        for logs in both { try await logs.prepare() }
        if isEmpty { _ = try await both[0].open("/a") }
        _ = try await both[1].open("/a")
        if !isEmpty { _ = try await both[1].append(JournalSample.notes(1), to: "/a") }
        #expect(try await !both[1].hasLostEnd(of: "/a"))
        if !isEmpty { _ = try await both[0].open("/a") }
        _ = try await both[0].append(JournalSample.notes(1), to: "/a")
        #expect(try await both[1].hasLostEnd(of: "/a"))
        #expect(try await !both[0].hasLostEnd(of: "/a"))
        await nats.loop.shutDown()
    }

    @Test func `a writer whose log still ends where it did goes on`() async throws {
        let (logs, nats) = try await Self.writer()
        nats.state.withLock { ($0.reconnects, $0.silent) = (1, 2) }
        _ = try await logs.append(JournalSample.notes(1, from: 3), to: "/a")
        let questions = nats.state.withLock { $0.questions }
        _ = try await logs.append(JournalSample.notes(1, from: 4), to: "/a")
        #expect(nats.state.withLock { $0.messages.count } == 4)
        #expect(nats.state.withLock { $0.questions } == questions, "it asks once a connection")
        await nats.loop.shutDown()
    }

    /// The offsets of the entries of `/a` behind one, as long as pages follow.
    private static func offsets(
        _ logs: JetStreamLogs, after offset: UInt64
    ) async throws -> [UInt64] {
        var place = LogPlace(after: offset)
        var offsets: [UInt64] = []
        for _ in 0..<10 {
            let page = try await logs.page(of: "/a", from: place)
            offsets += page.entries.map(\.offset)
            if page.isLast { break }
            place = page.end
        }
        return offsets
    }

    @Test func `what is kept of a log begins with the first part of its oldest entry`()
        async throws
    {
        let nats = try MemoryLog()
        let layout = JetStreamLayout(name: "test", streams: 1, replicas: 1, mostBytes: 4 << 10)
        let logs = JetStreamLogs(nats, layout)
        try await logs.prepare()
        _ = try await logs.open("/a")
        _ = try await logs.append(JournalSample.notes(1), to: "/a")
        // Two entries of one message, which takes several: they stand before it.
        let large = JournalSample.Note(text: String(repeating: "x", count: 8 << 10))
        let batch = [JournalSample.entry(2, [large])] + JournalSample.notes(1, from: 3)
        let second = try await logs.append(batch, to: "/a")
        let number = LogOffset(second).sequence
        #expect(number > 3)
        func first() -> UInt64? { nats.state.withLock { $0.messages.first?.sequence } }
        // Up to the large one, the other one of its message is kept.
        try await logs.forget("/a", through: second - 1)
        #expect(first() == 2)
        #expect(try await Self.offsets(logs, after: second - 1) == [second])
        // Also when both are forgotten: readers begin there.
        try await logs.forget("/a", through: second)
        #expect(first() == 2)
        let third = try await logs.append(JournalSample.notes(1, from: 4), to: "/a")
        #expect(try await Self.offsets(logs, after: second) == [third])
        try await logs.forget("/a", through: third)
        #expect(first() == LogOffset(third).sequence)
        await nats.loop.shutDown()
    }

    @Test func `a room whose import may have begun is said to be left`() async throws {
        let nats = try MemoryLog()
        let rooms = JetStreamRooms(
            nats, JetStreamLayout(name: "test", streams: 1, replicas: 1), own: nil,
            pulseInterval: .seconds(1))
        try await rooms.prepare()
        var copy = RoomImport(to: rooms, keepsEpochs: false)
        try await copy.take(.header(room: "/a", epoch: "e"))
        nats.state.withLock { $0.isUnsure = true }
        let error = await #expect(throws: JournalError.self) { try await copy.finish() }
        #expect(error == .unknownOutcome("a test"))
        #expect(await copy.discard() == ["/a"])
        await nats.loop.shutDown()
    }
}
