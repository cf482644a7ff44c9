import StorecastWebSocket
import Testing

extension SocketTests {
    /// Answers to requests that aren't for a WebSocket.
    @Suite(.timeLimit(.minutes(30))) struct PlainRequestTests {
        /// More than the system's buffers take; it comes again in no step that a buffer has.
        static let body = {
            var bytes = (0..<65_521).map { UInt8(truncatingIfNeeded: $0 &* 31 >> 7) }
            while bytes.count < 8 << 20 { bytes += bytes }
            return bytes
        }()

        @Test func `a large answer waits for a slow reader, and others don't`() async throws {
            let server = try await TestServer(
                Behaviour(respond: { request in
                    let body = request.path == "/large" ? Self.body : [1]
                    return HTTPResponse(status: 200, body: body)
                }))
            let slow = try RawPeer(port: server.port, receiveBuffer: 4096)
            try slow.send(text: "GET /large HTTP/1.1\r\nHost: a\r\n\r\n")
            _ = try slow.readHead()
            let quick = try RawPeer(port: server.port)
            try quick.send(text: "GET /small HTTP/1.1\r\nHost: a\r\n\r\n")
            #expect(try quick.readHead().contains("\r\nContent-Length: 1\r\n"))
            #expect(try quick.readToEnd() == [1])
            #expect(try slow.readToEnd() == Self.body)
            await server.stop()
        }

        @Test func `what comes behind a request isn't answered`() async throws {
            let server = try await TestServer(
                Behaviour(respond: { _ in HTTPResponse(status: 200, body: Self.body) }))
            let peer = try RawPeer(port: server.port, receiveBuffer: 4096)
            let request = "GET / HTTP/1.1\r\nHost: a\r\n\r\n"
            try peer.send(text: request + request)
            _ = try peer.readHead()
            try peer.send(text: RawPeer.request())
            let rest = (try? peer.readToEnd()) ?? []
            #expect(Self.body.starts(with: rest))
            #expect(server.events.pending.isEmpty)
            await server.stop()
        }

        @Test func `who doesn't read an answer is cut`() async throws {
            let server = try await TestServer(
                {
                    $0.answerTimeout = .milliseconds(50)
                    $0.maxConnections = 1
                },
                Behaviour(respond: { _ in HTTPResponse(status: 200, body: Self.body) }))
            let peer = try RawPeer(port: server.port, receiveBuffer: 4096)
            try peer.send(text: "GET / HTTP/1.1\r\nHost: a\r\n\r\n")
            _ = try peer.readHead()
            // Then, and not before, somebody else is let in.
            var attempts = 0
            while try Self.isRefused(port: server.port) {
                attempts += 1
                try #require(attempts < 50_000, "The connection is never cut.")
            }
            #expect(try peer.readToEnd().count < Self.body.count)
            await server.stop()
        }

        private static func isRefused(port: Int) throws -> Bool {
            let peer = try RawPeer(port: port, receiveBuffer: 4096)
            try peer.send(text: "GET / HTTP/1.1\r\nHost: a\r\n\r\n")
            return try peer.readHead().hasPrefix("HTTP/1.1 503 ")
        }

        @Test func `HEAD is answered with the headers alone`() async throws {
            let server = try await TestServer(
                Behaviour(respond: { _ in HTTPResponse(status: 200, body: [1, 2, 3]) }))
            let peer = try RawPeer(port: server.port)
            try peer.send(text: "HEAD / HTTP/1.1\r\nHost: a\r\n\r\n")
            #expect(try peer.readHead().contains("\r\nContent-Length: 3\r\n"))
            #expect(try peer.readToEnd() == [])
            await server.stop()
        }
    }
}
