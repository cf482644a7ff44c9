import StorecastWebSocket
import Testing

extension SocketTests {
    /// The HTTP request before a WebSocket.
    @Suite(.timeLimit(.minutes(30))) struct UpgradeRequestTests {
        @Test func `the request is handed over`() async throws {
            let requests = Mailbox<UpgradeRequest>()
            let server = try await TestServer(
                { $0.extraHeaders = ["traceparent"] },
                Behaviour(accept: {
                    requests.post($0)
                    return .accept(subprotocol: nil)
                }))
            let peer = try RawPeer.open(
                port: server.port, path: "/rooms/a%20b?c=d&e=f",
                headers: "Authorization: Bearer x\r\nTraceparent: 00-1\r\nOrigin: http://o\r\n")
            let request = try await requests.next()
            #expect(request.path == "/rooms/a b")
            #expect(request.query == "c=d&e=f")
            #expect(request.method == "GET")
            #expect(request.peerAddress == "127.0.0.1")
            #expect(request.subprotocols == [])
            #expect(
                request.headers == [
                    "host": "127.0.0.1", "authorization": "Bearer x", "traceparent": "00-1",
                    "origin": "http://o",
                ])
            _ = peer
            await server.stop()
        }

        @Test func `of a request's headers the usual ones are handed over, and no word of others`()
            async throws
        {
            let requests = Mailbox<UpgradeRequest>()
            let server = try await TestServer(
                Behaviour(accept: {
                    requests.post($0)
                    return .accept(subprotocol: nil)
                }))
            let peer = try RawPeer.open(
                port: server.port, path: "/",
                headers: """
                    User-Agent: u\r
                    Cookie: a=b; c=d\r
                    Accept: text/html\r
                    Referer: http://r/\r
                    If-None-Match: "t"\r
                    Accept-Encoding: gzip, br\r
                    X-Forwarded-For: 192.0.2.1\r
                    X-Other: o\r

                    """)
            let request = try await requests.next()
            // Nobody is trusted to speak for others.
            #expect(request.peerAddress == "127.0.0.1" && !request.isEncrypted)
            #expect(
                request.headers == [
                    "host": "127.0.0.1", "user-agent": "u", "cookie": "a=b; c=d",
                    "accept": "text/html", "referer": "http://r/", "if-none-match": "\"t\"",
                    "accept-encoding": "gzip, br",
                ])
            _ = peer
            await server.stop()
        }

        @Test func `a subprotocol is chosen from those offered`() async throws {
            let server = try await TestServer(
                Behaviour(accept: {
                    .accept(subprotocol: $0.subprotocols.contains("b.v1") ? "b.v1" : nil)
                }))
            let peer = try RawPeer(port: server.port)
            try peer.send(
                text: RawPeer.request(headers: "Sec-WebSocket-Protocol: a.v1, b.v1\r\n"))
            #expect(try peer.readHead().contains("\r\nSec-WebSocket-Protocol: b.v1"))
            #expect(try await server.events.next() == .opened(path: "/", subprotocol: "b.v1"))
            let other = try RawPeer(port: server.port)
            try other.send(text: RawPeer.request(headers: "Sec-WebSocket-Protocol: c.v1\r\n"))
            #expect(try other.readHead().hasPrefix("HTTP/1.1 400 "))
            await server.stop()
        }

        @Test func `a refusal carries its status and reason`() async throws {
            let server = try await TestServer(
                Behaviour(accept: { _ in .refuse(status: 404, reason: "No such room.") }))
            let peer = try RawPeer(port: server.port)
            try peer.send(text: RawPeer.request())
            #expect(try peer.readHead().hasPrefix("HTTP/1.1 404 Not Found\r\n"))
            #expect(try peer.readToEnd() == Array("No such room.\n".utf8))
            #expect(server.events.pending.isEmpty)
            await server.stop()
        }

        @Test(arguments: [
            "GET / HTTP/1.1\r\nHost: a\r\n\r\n",
            "HEAD / HTTP/1.1\r\nHost: a\r\n\r\n",
            "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 0\r\n\r\n",
            RawPeer.request(version: 8),
            "GET / HTTP/1.1\r\nHost: a\r\nConnection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\n"
                + "HTTP2-Settings: AAMAAABkAARAAAAAAAIAAAAA\r\n\r\n",
            "GET / HTTP/1.1\r\nHost: a\r\nConnection: Upgrade\r\nUpgrade: x\r\n\r\n",
        ])
        func `what isn't a WebSocket is told to become one, or cut`(request: String) async throws {
            let server = try await TestServer()
            let peer = try RawPeer(port: server.port)
            try peer.send(text: request)
            let answer = String(decoding: try peer.readToEnd(), as: UTF8.self)
            // The library itself refuses upgrades to anything that it doesn't know.
            #expect(
                answer.hasPrefix("HTTP/1.1 426 ") || answer.hasPrefix("HTTP/1.0 403 "), "\(answer)")
            #expect(server.events.pending.isEmpty)
            await server.stop()
        }

        @Test(arguments: [
            "CONNECT a:1 HTTP/1.1\r\nHost: a\r\n\r\n",
            "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
            "\u{16}\u{03}\u{01}\u{02}\u{00}\u{01}\u{00}",
            "nonsense\r\n\r\n",
            RawPeer.request().replacing(
                "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n", with: ""),
            "GET / HTTP/1.1\r\nX: \(String(repeating: "x", count: 20_000))\r\n\r\n",
            RawPeer.request(
                headers: "Sec-WebSocket-Protocol: \(String(repeating: "p,", count: 300))q\r\n"),
        ])
        func `a bad request ends without a connection`(request: String) async throws {
            let server = try await TestServer({ $0.handshakeTimeout = .milliseconds(200) })
            let peer = try RawPeer(port: server.port)
            // The end may come while the request is still on its way.
            try? peer.send(text: request)
            let answer = String(decoding: (try? peer.readToEnd()) ?? [], as: UTF8.self)
            #expect(!answer.hasPrefix("HTTP/1.1 101"))
            #expect(server.events.pending.isEmpty)
            await server.stop()
        }

        @Test(arguments: [
            "GET / HTTP/1.1\r\n\r\n", "GET /page HTTP/1.1\r\nAccept: */*\r\n\r\n",
            RawPeer.request().replacing("Host: 127.0.0.1\r\n", with: ""),
        ])
        func `a request that doesn't say which host it is meant for is answered 400`(
            request: String
        ) async throws {
            let server = try await TestServer(
                Behaviour(respond: { _ in HTTPResponse(status: 200, "A page.") }))
            let peer = try RawPeer(port: server.port)
            try peer.send(text: request)
            let answer = String(decoding: try peer.readToEnd(), as: UTF8.self)
            #expect(answer.hasPrefix("HTTP/1.1 400 "), "\(answer)")
            #expect(server.events.pending.isEmpty)
            await server.stop()
        }

        @Test(arguments: [
            "/%00", "/room/%00x", "/a%00b", "/%0a", "/a%0D%0Ab", "/?a=%00", "/a\u{1}b",
        ])
        func `a path with a control character in it is answered 400`(path: String) async throws {
            let server = try await TestServer(
                Behaviour(respond: { _ in HTTPResponse(status: 200, "A page.") }))
            for request in [
                "GET \(path) HTTP/1.1\r\nHost: a\r\n\r\n", RawPeer.request(path: path),
            ] {
                let peer = try RawPeer(port: server.port)
                try peer.send(text: request)
                let answer = String(decoding: try peer.readToEnd(), as: UTF8.self)
                #expect(answer.hasPrefix("HTTP/1.1 400 "), "\(answer)")
            }
            #expect(server.events.pending.isEmpty)
            await server.stop()
        }

        @Test(
            arguments: [
                [0x16, 0x03, 0x01, 0x02, 0x00, 0x01, 0x00],
                Array("GET / HTTP/1.1\r\nX: ".utf8) + Array(repeating: 0x78, count: 20_000),
                Array("GET / HTTP/1.1\r\nX: ".utf8) + Array(repeating: 0x78, count: 9000)
                    + Array("\r\n\r\n".utf8),
            ] as [[UInt8]])
        func `what can't become a request is cut at once`(bytes: [UInt8]) async throws {
            let server = try await TestServer({ $0.handshakeTimeout = .seconds(60) })
            let peer = try RawPeer(port: server.port)
            try? peer.send(bytes)
            #expect(try peer.readToEnd() == [])
            try await server.with { #expect($0.server?.connectionCount == 0) }
            await server.stop()
        }

        @Test func `a request that comes in two pieces is one, wherever it is cut`() async throws {
            let server = try await TestServer(.echo)
            let request = Array(RawPeer.request(path: "/").utf8)
            for cut in 1..<request.count {
                let peer = try RawPeer(port: server.port)
                try peer.send(Array(request[..<cut]))
                // The loop accepts the connection and reads what is there before it comes to these.
                for _ in 1...3 { try await server.with { _ in } }
                try peer.send(Array(request[cut...]))
                #expect(try peer.readHead().hasPrefix("HTTP/1.1 101 "), "cut at \(cut)")
            }
            await server.stop()
        }

        @Test func `a slow handshake is cut`() async throws {
            let server = try await TestServer({ $0.handshakeTimeout = .milliseconds(50) })
            let silent = try RawPeer(port: server.port)
            let slow = try RawPeer(port: server.port)
            try slow.send(text: "GET / HTTP/1.1\r\nHost:")
            #expect(try silent.readToEnd() == [])
            #expect(try slow.readToEnd() == [])
            await server.stop()
        }

        @Test func `a plain request can have an answer of its own`() async throws {
            let loop = try EventLoop()
            let routes = try await loop.perform {
                let routes = Routes()
                routes.server = try WebSocketServer(
                    on: loop, configuration: WebSocketServerConfiguration(), delegate: routes)
                return OnLoop(routes, loop)
            }
            let port = try await loop.perform { routes.value.server?.port ?? 0 }
            let peer = try RawPeer(port: port)
            try peer.send(text: "GET /health?full=1 HTTP/1.1\r\nHost: a\r\n\r\n")
            let answer = String(decoding: try peer.readToEnd(), as: UTF8.self)
            let date = try #require(answer.firstMatch(of: /Date: (.{29})\r\n/)?.1)
            #expect(HTTPResponse.time(of: String(date)) != nil)
            #expect(
                answer == """
                    HTTP/1.1 200 OK\r
                    Content-Type: text/plain; charset=utf-8\r
                    Content-Length: 22\r
                    Date: \(date)\r
                    Connection: close\r
                    \r
                    GET /health full=1 ok\n
                    """)
            await loop.shutDown()
        }

        private final class Routes: WebSocketServerDelegate {
            var server: WebSocketServer?

            func accept(_ request: UpgradeRequest) -> UpgradeDecision { .accept(subprotocol: nil) }
            func opened(_ connection: WebSocketConnection, _ request: UpgradeRequest) {}
            func received(_ connection: WebSocketConnection, text: UnsafeRawBufferPointer) {}
            func writable(_ connection: WebSocketConnection) {}
            func closed(_ connection: WebSocketConnection, code: UInt16, reason: String) {}

            func respond(to request: UpgradeRequest) -> HTTPResponse? {
                HTTPResponse(status: 200, "\(request.method) \(request.path) \(request.query) ok")
            }
        }
    }
}
