import Logging
import StorecastClient
import StorecastServer
import Synchronization
import Testing

@testable import StorecastRoom

@Suite(.timeLimit(.minutes(1)))
struct UnloadingTests {
    /// What the server logs, as it happens.
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

    @Test func `a room that nobody is in leaves memory, and is there again when it is used`()
        async throws
    {
        let opened = Atomic(0)
        let (messages, continuation) = AsyncStream<String>.makeStream()
        var limits = SyncLimits()
        limits.unloadAfter = .zero
        let server = SyncServer(
            port: 0,
            journal: JournalProvider { () throws(JournalError) in
                MemoryJournalStore(capacity: .max)
            },
            limits: limits,
            logger: Logger(label: "test") { _ in MessageLog(messages: continuation) },
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
