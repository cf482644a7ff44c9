import StorecastWebSocket
import Testing

extension SocketTests {
    /// Connections on which a page is asked for after another one (RFC 9112, section 9.3).
    @Suite(.timeLimit(.minutes(30))) struct KeptConnectionTests {
        /// Each page says its path; one is large, and one is no page.
        private static let pages = Behaviour(respond: { request in
            if request.path == "/nothing" { return HTTPResponse(status: 404, "Nothing.") }
            var answer = HTTPResponse(status: 200, body: Array(request.path.utf8))
            if request.path == "/large" { answer.body = PlainRequestTests.body }
            answer.permitsAnother = true
            return answer
        })

        private func get(_ path: String, _ headers: String = "") -> String {
            "GET \(path) HTTP/1.1\r\nHost: a\r\n\(headers)\r\n"
        }

        /// Reads an answer with the page of a path, and whether it is the last.
        private func isLast(_ path: String, from peer: RawPeer) throws -> Bool {
            let head = try peer.readHead()
            let page = path == "/large" ? PlainRequestTests.body : Array(path.utf8)
            #expect(head.hasPrefix("HTTP/1.1 200 OK\r\n"), "\(head)")
            #expect(head.contains("\r\nContent-Length: \(page.count)\r\n"))
            #expect(try peer.read(page.count) == page)
            return (head + "\r\n").contains("\r\nConnection: close\r\n")
        }

        @Test func `one request after the other is answered`() async throws {
            let server = try await TestServer(Self.pages)
            let peer = try RawPeer(port: server.port)
            for path in ["/a", "/large", "/", "/b"] {
                try peer.send(text: get(path))
                #expect(try !isLast(path, from: peer))
            }
            try peer.send(text: get("/end", "Connection: close\r\n"))
            #expect(try isLast("/end", from: peer))
            #expect(try peer.readToEnd() == [])
            await server.stop()
        }

        @Test func `those that come at once are answered in their order`() async throws {
            let server = try await TestServer(Self.pages)
            let peer = try RawPeer(port: server.port, receiveBuffer: 4096)
            let paths = ["/a", "/large", "/b", "/c", "/large", "/d"]
            try peer.send(text: paths.map { get($0) }.joined())
            peer.stopSending()
            for path in paths { #expect(try !isLast(path, from: peer)) }
            #expect(try peer.readToEnd() == [])
            await server.stop()
        }

        @Test func `it makes no difference where two are cut`() async throws {
            let server = try await TestServer(Self.pages)
            let bytes = Array((get("/a") + get("/b", "Connection: close\r\n")).utf8)
            for cut in 1..<bytes.count {
                let peer = try RawPeer(port: server.port)
                try peer.send(Array(bytes[..<cut]))
                // The loop reads what is there before it comes to these.
                for _ in 1...3 { try await server.with { _ in } }
                try peer.send(Array(bytes[cut...]))
                #expect(try !isLast("/a", from: peer), "cut at \(cut)")
                #expect(try isLast("/b", from: peer), "cut at \(cut)")
            }
            await server.stop()
        }

        @Test func `a connection has a number of answers`() async throws {
            let server = try await TestServer({ $0.requestsPerConnection = 3 }, Self.pages)
            let peer = try RawPeer(port: server.port)
            try peer.send(text: (1...5).map { get("/\($0)") }.joined())
            #expect(try !isLast("/1", from: peer))
            #expect(try !isLast("/2", from: peer))
            #expect(try isLast("/3", from: peer))
            #expect(((try? peer.readToEnd()) ?? []) == [])
            await server.stop()
        }

        /// Nobody can smuggle a request in the content of another.
        @Test(arguments: [
            ("GET", "Connection: close\r\n"), ("POST", ""), ("GET", "Content-Length: 40\r\n"),
            ("GET", "Transfer-Encoding: chunked\r\n"), ("GET", "X: a\n Content-Length: 40\r\n"),
            ("GET", "Transfer-Encoding : chunked\r\n"), ("GET", "Expect: 100-continue\r\n"),
        ])
        func `behind some requests nothing is answered`(method: String, headers: String)
            async throws
        {
            let server = try await TestServer(Self.pages)
            let peer = try RawPeer(port: server.port)
            try peer.send(
                text: "\(method) /a HTTP/1.1\r\nHost: a\r\n\(headers)\r\n" + get("/smuggled"))
            let answer = String(decoding: (try? peer.readToEnd()) ?? [], as: UTF8.self)
            #expect(!answer.contains("/smuggled"), "\(answer)")
            await server.stop()
        }

        @Test func `who is refused something begins anew`() async throws {
            let server = try await TestServer(Self.pages)
            let peer = try RawPeer(port: server.port)
            try peer.send(text: get("/nothing") + get("/a"))
            #expect(try peer.readHead().hasSuffix("\r\nConnection: close"))
            let rest = (try? peer.readToEnd()) ?? []
            #expect(Array("Nothing.\n".utf8).starts(with: rest))
            await server.stop()
        }

        @Test func `HEAD and 304 have no content that could be taken for an answer`() async throws {
            let server = try await TestServer(
                Behaviour(respond: { request in
                    var answer = HTTPResponse(status: 200, body: Array("content".utf8))
                    answer.permitsAnother = true
                    if request.path == "/known" { (answer.status, answer.sendsBody) = (304, false) }
                    return answer
                }))
            let peer = try RawPeer(port: server.port)
            try peer.send(text: "HEAD / HTTP/1.1\r\nHost: a\r\n\r\n" + get("/known") + get("/"))
            #expect(try peer.readHead().hasPrefix("HTTP/1.1 200 "))
            #expect(try peer.readHead().hasPrefix("HTTP/1.1 304 "))
            #expect(try peer.readHead().hasPrefix("HTTP/1.1 200 "))
            #expect(try peer.read(7) == Array("content".utf8))
            await server.stop()
        }

        @Test func `a WebSocket can follow a page`() async throws {
            let server = try await TestServer({ $0.keptConnections = 1 }, Self.pages)
            let peer = try RawPeer(port: server.port)
            try peer.send(text: get("/a") + RawPeer.request(path: "/room"))
            #expect(try !isLast("/a", from: peer))
            #expect(try peer.readHead().hasPrefix("HTTP/1.1 101 "))
            #expect(try await server.events.next() == .opened(path: "/room", subprotocol: nil))
            try peer.send(head: 0x81, Array("hello".utf8))
            #expect(try await server.events.next() == .received("hello"))
            // It doesn't count as one that is kept.
            let other = try RawPeer(port: server.port)
            try other.send(text: get("/b"))
            #expect(try !isLast("/b", from: other))
            await server.stop()
        }

        // MARK: Bounds

        @Test func `who asks for nothing more is cut, and who is slow about it`() async throws {
            let server = try await TestServer(
                { $0.handshakeTimeout = .seconds(2) }, Self.pages)
            let (done, slow) = (try RawPeer(port: server.port), try RawPeer(port: server.port))
            for peer in [done, slow] {
                try peer.send(text: get("/a"))
                #expect(try !isLast("/a", from: peer))
            }
            try slow.send(text: "GET /b HTTP/1.1\r\nHost:")
            #expect(try done.readToEnd() == [])
            #expect(try slow.readToEnd() == [])
            await server.stop()
        }

        @Test func `each request has its own time`() async throws {
            // The first request's time is up while the second is answered, which takes longer.
            let server = try await TestServer(
                { $0.handshakeTimeout = .seconds(3) }, Self.pages)
            let peer = try RawPeer(port: server.port, receiveBuffer: 4096)
            try peer.send(text: get("/a"))
            #expect(try !isLast("/a", from: peer))
            try peer.send(text: get("/large"))
            _ = try peer.readHead()
            // Others are cut meanwhile, who came later.
            let later = try RawPeer(port: server.port)
            #expect(try later.readToEnd() == [])
            #expect(try peer.read(PlainRequestTests.body.count) == PlainRequestTests.body)
            try peer.send(text: get("/b"))
            #expect(try !isLast("/b", from: peer))
            await server.stop()
        }

        @Test func `who doesn't read a later answer is cut, too`() async throws {
            let server = try await TestServer(
                {
                    $0.answerTimeout = .milliseconds(50)
                    $0.maxConnections = 2
                }, Self.pages)
            let peer = try RawPeer(port: server.port, receiveBuffer: 4096)
            try peer.send(text: get("/a"))
            #expect(try !isLast("/a", from: peer))
            let other = try RawPeer.open(port: server.port)
            try peer.send(text: get("/large"))
            _ = try peer.readHead()
            // Then, and not before, somebody else is let in.
            var attempts = 0
            while try RawPeer.status(port: server.port) == "503" {
                attempts += 1
                try #require(attempts < 50_000, "The connection is never cut.")
            }
            #expect(try peer.readToEnd().count < PlainRequestTests.body.count)
            withExtendedLifetime(other) {}
            await server.stop()
        }

        @Test func `so many are kept, and those of others are closed as soon as they are answered`()
            async throws
        {
            let server = try await TestServer({ $0.keptConnections = 2 }, Self.pages)
            var kept: [RawPeer] = []
            for number in 0..<3 {
                let peer = try RawPeer(port: server.port)
                try peer.send(text: get("/a"))
                #expect(try isLast("/a", from: peer) == (number == 2))
                if number < 2 { kept.append(peer) }
            }
            // One that is kept stays so.
            try kept[0].send(text: get("/b"))
            #expect(try !isLast("/b", from: kept[0]))
            // When one has gone, there is room for another.
            kept.removeLast()
            var attempts = 0
            while true {
                let peer = try RawPeer(port: server.port)
                try peer.send(text: get("/a"))
                if try !isLast("/a", from: peer) { break }
                attempts += 1
                try #require(attempts < 50_000, "Nobody is kept any more.")
            }
            await server.stop()
        }

        @Test func `none is kept that others have no room beside`() async throws {
            let server = try await TestServer({ $0.maxConnections = 1 }, Self.pages)
            let peer = try RawPeer(port: server.port)
            try peer.send(text: get("/a"))
            #expect(try isLast("/a", from: peer))
            await server.stop()
        }

        @Test func `a server that closes keeps nobody`() async throws {
            let server = try await TestServer(Self.pages)
            let peer = try RawPeer(port: server.port)
            try peer.send(text: get("/a"))
            #expect(try !isLast("/a", from: peer))
            let closed = Mailbox<Void>()
            try await server.with { _ = $0.server?.close { closed.post(()) } }
            try await closed.next()
            #expect(try peer.readToEnd() == [])
            await server.stop()
        }
    }
}
