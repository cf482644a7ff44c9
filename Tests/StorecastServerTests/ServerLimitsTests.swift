import StorecastServer
import Testing

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
