import Logging
import StorecastClient
import Synchronization
import Testing

@testable import StorecastServer
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

/// The bounds of ``SyncLimits`` that a room knows nothing of.
@Suite(.timeLimit(.minutes(1)))
struct ServerLimitsTests {
    private static let upgrade = [
        "GET / HTTP/1.1", "Host: localhost", "Upgrade: websocket", "Connection: Upgrade",
        "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==", "Sec-WebSocket-Version: 13",
        "Sec-WebSocket-Protocol: storecast.v1", "\r\n",
    ].joined(separator: "\r\n")

    /// What comes of a text, until the server ends the connection.
    private func answer(
        to text: String = upgrade, _ change: (inout SyncLimits) -> Void
    ) async throws -> String {
        var limits = SyncLimits()
        limits.closeTimeout = .milliseconds(20)
        change(&limits)
        let server = SyncServer(port: 0, limits: limits, rooms: { _ in Tallies.room })
        let url = try await server.start()
        let answer = try PlainRequest.answer(to: text, at: url)
        await server.stop()
        return answer
    }

    /// A page of another site whose name was made to lead to this machine (DNS rebinding).
    @Test func `a connection for another host is refused`() async throws {
        let text = Self.upgrade.replacing("Host: localhost", with: "Host: evil.test")
        let answer = try await answer(to: text) { _ in }
        #expect(answer.hasPrefix("HTTP/1.1 421 "))
    }

    @Test func `a connection for another protocol alone is refused`() async throws {
        let text = Self.upgrade.replacing("storecast.v1", with: "storecast.v99")
        let answer = try await answer(to: text) { _ in }
        #expect(answer.hasPrefix("HTTP/1.1 400 "))
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

    @Test func `who is silent for too long is cut off`() async throws {
        let answer = try await answer {
            $0.pingInterval = .milliseconds(10)
            $0.silence = .milliseconds(40)
        }
        #expect(answer.contains("101 Switching Protocols"))
        #expect(!answer.contains("bye"))
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
