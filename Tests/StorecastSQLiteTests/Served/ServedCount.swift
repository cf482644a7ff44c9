import Logging
import StorecastClient
import StorecastSQLite
import StorecastServer
import Testing
import TestSupport

/// A state that counts its actions.
struct Count: Codable, Sendable {
    struct Add: SyncAction {}

    var count = 0

    static let total = Selection("total") { (state: Count) in state.count }
    static let room = RoomDefinition(
        state: Count(), actions: [Add.self], selections: [total]
    ) { state, _ in state.count += 1 }
}

/// A server of a count, with a journal on disk and its log at hand.
@MainActor final class ServedCount {
    private struct MessageLog: LogHandler {
        let messages: AsyncStream<String>.Continuation
        var metadata: Logger.Metadata = [:]
        var logLevel = Logger.Level.debug

        subscript(metadataKey key: String) -> Logger.Metadata.Value? {
            get { metadata[key] }
            set { metadata[key] = newValue }
        }

        func log(event: LogEvent) { messages.yield("\(event.message)") }
    }

    let path: String
    private let directory: TemporaryDirectory
    let server: SyncServer
    private let messages: AsyncStream<String>
    private var url = ""

    init(limits: SyncLimits = SyncLimits()) async throws {
        directory = try TemporaryDirectory()
        path = directory.file("count.sqlite")
        let (messages, continuation) = AsyncStream<String>.makeStream()
        self.messages = messages
        server = SyncServer(
            port: 0, journal: .sqlite(path), limits: limits,
            logger: Logger(label: "test") { _ in MessageLog(messages: continuation) },
            rooms: { _ in Count.room })
    }

    /// Starts it; its URL.
    func start() async throws -> String {
        url = try await server.start()
        return url
    }

    func stop() async { await server.stop() }

    /// Waits until the server logs something with this text in it.
    func logs(_ text: String) async -> Bool {
        for await message in messages where message.contains(text) { return true }
        return false
    }

    /// Expects that somebody who comes now sees this.
    func expectCount(_ count: Int) async throws {
        let connection = RemoteConnection(url)
        defer { connection.close() }
        let store = RemoteStore(Count.total, on: connection)
        var states = store.states.makeAsyncIterator()
        #expect(try #require(await states.next(isolation: #isolation)) == count)
    }

    /// How many actions the file has, each once.
    func keptVersions() throws -> UInt64 {
        let file = try JournalFile(path)
        defer { file.close() }
        let replay = Count.room.replay(SyncLimits())
        for entry in try file.entries(of: "/", after: 0) {
            if let record = entry.record { try replay.reduce(record, at: entry.offset) }
        }
        return replay.version
    }
}
