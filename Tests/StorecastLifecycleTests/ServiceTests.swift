import Logging
import ServiceLifecycle
import StorecastClient
import StorecastLifecycle
import Synchronization
import TestSupport
import Testing

/// A server among other services.
@Suite(.timeLimit(.minutes(30)), .fewAtATime) struct ServiceTests {
    struct Note: SyncAction {
        var text: String
    }

    struct Notes: Codable, Sendable {
        var texts: [String] = []
    }

    private static let room = RoomDefinition(
        state: Notes(), actions: [Note.self], selections: []
    ) { notes, action in
        if let note = action as? Note { notes.texts.append(note.text) }
    }

    /// Begins when the server listens, and ends with the group.
    private struct Other: Service {
        let work: @Sendable () async throws -> Void

        func run() async throws {
            try await work()
            try? await gracefulShutdown()
        }
    }

    @Test func `it starts with the group, and says goodbye when that shuts down`() async throws {
        let (lines, continuation) = AsyncStream<String>.makeStream()
        let logger = Logger(label: "test") { _ in LineLog(lines: continuation) }
        let server = SyncServer(port: 0, logger: logger, room: Self.room)
        let client = Mutex<RemoteConnection?>(nil)
        let group = Mutex<ServiceGroup?>(nil)
        let other = Other {
            var url = ""
            for await line in lines where line.hasPrefix("ws://") {
                url = line
                break
            }
            let connection = RemoteConnection(url)
            client.withLock { $0 = connection }
            _ = try await connection.dispatch(Note(text: "Hi")).outcome
            await group.withLock(\.self)?.triggerGracefulShutdown()
        }
        let both = ServiceGroup(services: [server, other], logger: Logger(label: "group"))
        group.withLock { $0 = both }
        try await both.run()
        // It goes on to try, as the server said that it will be back.
        let last = client.withLock(\.self)
        let connection = try #require(last)
        #expect(await eventually { if case .offline = connection.status { true } else { false } })
        connection.close()
        await #expect(throws: ServerError.self) { try await server.start() }
    }

    @Test func `one that can't start ends the group, and says why`() async throws {
        let port = try HeldPort()
        let server = SyncServer(port: port.number, room: Self.room)
        let group = ServiceGroup(services: [server, Other {}], logger: Logger(label: "group"))
        let error = await #expect(throws: ServerError.self) { try await group.run() }
        #expect(error?.code == .cannotListen)
    }

    @Test func `cancelling the task ends it`() async throws {
        let server = SyncServer(port: 0, room: Self.room)
        let task = Task { try await server.run() }
        #expect(await eventually { (try? await server.room("/", of: Notes.self)) != nil })
        task.cancel()
        try await task.value
        let error = await #expect(throws: ServerError.self) {
            try await server.room("/", of: Notes.self)
        }
        #expect(error?.code == .notRunning)
    }
}

/// Messages and metadata as they are logged.
private struct LineLog: LogHandler {
    let lines: AsyncStream<String>.Continuation
    var metadata: Logger.Metadata = [:]
    var logLevel = Logger.Level.info

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    func log(event: LogEvent) {
        for (_, value) in event.metadata ?? [:] { lines.yield("\(value)") }
    }
}
