import StorecastWebSocket
import TestSupport
import Testing

extension SocketTests {
    @Suite(.timeLimit(.minutes(30))) struct WebSocketClientTests {
        @Test func `client and server on one loop talk, with subprotocol and headers`() async throws
        {
            let loop = try EventLoop()
            let requests = Mailbox<UpgradeRequest>()
            var behaviour = Behaviour.echo
            behaviour.accept = {
                requests.post($0)
                return .accept(subprotocol: "storecast.v1")
            }
            let server = try await TestServer({ _ in }, on: loop, behaviour)
            let client = try await TestClient(
                WebSocketClientConfiguration(
                    host: "127.0.0.1", port: server.port, path: "/rooms/lobby?x=1",
                    subprotocols: ["other.v1", "storecast.v1"],
                    headers: [("Authorization", "Bearer 1")]), on: loop)
            #expect(try await client.events.next() == .connected("storecast.v1"))
            let request = try await requests.next()
            #expect(request.path == "/rooms/lobby")
            #expect(request.query == "x=1")
            #expect(request.subprotocols == ["other.v1", "storecast.v1"])
            #expect(request.headers["authorization"] == "Bearer 1")
            #expect(request.headers["host"] == "127.0.0.1:\(server.port)")
            try await client.send("Grüße")
            #expect(try await client.events.next() == .received("Grüße"))
            await loop.shutDown()
            guard case .closed = try await client.events.next() else {
                Issue.record("The client was not told.")
                return
            }
        }

        @Test(
            arguments: [
                ("example.org", 80, false, "example.org"),
                ("example.org", 8080, false, "example.org:8080"),
                ("example.org", 443, false, "example.org:443"),
                ("example.org", 443, true, "example.org"),
                ("example.org", 8443, true, "example.org"), ("::1", 80, false, "[::1]"),
                ("::1", 9090, false, "[::1]:9090"), ("2001:db8::7", 443, true, "[2001:db8::7]"),
                ("10.0.0.7", 9090, false, "10.0.0.7:9090"),
            ])
        func `the server is named by its host, and by its port if that isn't the usual one`(
            host: String, port: Int, tls: Bool, field: String
        ) {
            let server = WebSocketClientConfiguration(host: host, port: port, tls: tls)
            #expect(server.hostField == field)
        }

        @Test func `many messages of a turn arrive in order`() async throws {
            let server = try await TestServer(.echo)
            let client = try await TestClient(configuration(server))
            #expect(try await client.events.next() == .connected(nil))
            try await client.with { client in
                for number in 0..<500 { #expect(client.send(Array("\(number)".utf8))) }
                #expect(client.bufferedBytes > 500)
            }
            for number in 0..<500 {
                #expect(try await client.events.next() == .received("\(number)"))
            }
            #expect(try await client.with { $0.bufferedBytes } == 0)
            await stop(client, server)
        }

        @Test func `a large message goes both ways`() async throws {
            let server = try await TestServer({ $0.maxMessageBytes = 8 << 20 }, .echo)
            let client = try await TestClient(configuration(server))
            #expect(try await client.events.next() == .connected(nil))
            let text = String(repeating: "0123456789", count: 500_000)
            try await client.send(text)
            #expect(try await client.events.next() == .received(text))
            await stop(client, server)
        }

        @Test func `what waits to be sent is bounded`() async throws {
            let server = try await TestServer()
            var configuration = configuration(server)
            configuration.maxBufferedBytes = 1 << 20
            let client = try await TestClient(configuration)
            let sent = try await fill(client, server)
            #expect(try await client.with { $0.bufferedBytes } <= 1 << 20)
            try await server.with { $0.connections[0].resumeReading() }
            for _ in 0..<sent {
                guard case .received(let text) = try await server.events.next() else {
                    Issue.record("Something else came.")
                    return
                }
                #expect(text.utf8.count == 100_000)
            }
            #expect(try await client.events.next() == .writable)
            await stop(client, server)
        }

        @Test(arguments: [0, 1, 100])
        func `as many bytes wait as may, and when they are gone the delegate is told`(
            _ first: Int
        ) async throws {
            let server = try await TestServer()
            var configuration = configuration(server)
            // A frame takes at most 14 bytes beside its text.
            configuration.maxBufferedBytes = 1000
            let client = try await TestClient(configuration)
            #expect(try await client.events.next() == .connected(nil))
            let rest = try await client.with { client in
                #expect(!client.send([UInt8](repeating: 0x61, count: 987)))
                #expect(client.bufferedBytes == 0)
                if first > 0 { #expect(client.send([UInt8](repeating: 0x61, count: first))) }
                let rest = 1000 - 14 - client.bufferedBytes
                #expect(!client.send([UInt8](repeating: 0x62, count: rest + 1)))
                #expect(client.send([UInt8](repeating: 0x62, count: rest)))
                #expect(client.bufferedBytes <= 1000)
                #expect(!client.send([UInt8](repeating: 0x63, count: 14)))
                return rest
            }
            #expect(try await client.events.next() == .writable)
            #expect(try await client.send("after"))
            _ = try await server.events.next()
            let texts = [first, rest].filter { $0 > 0 }
            for (count, letter) in zip(texts, first > 0 ? ["a", "b"] : ["b"]) {
                let text = String(repeating: letter, count: count)
                #expect(try await server.events.next() == .received(text))
            }
            #expect(try await server.events.next() == .received("after"))
            // Nobody is told who wasn't refused.
            #expect(client.events.pending.isEmpty)
            await stop(client, server)
        }

        @Test func `the server's close code and reason are heard`() async throws {
            let server = try await TestServer(
                Behaviour(received: { connection, _ in connection.close(code: 4003, reason: "Go.") }
                ))
            let client = try await TestClient(configuration(server))
            #expect(try await client.events.next() == .connected(nil))
            try await client.send("x")
            #expect(try await client.events.next() == .closed(4003, "Go.", error: nil))
            _ = try await server.events.next()
            _ = try await server.events.next()
            #expect(try await server.events.next() == .closed(4003, "Go."))
            await stop(client, server)
        }

        @Test func `closing sends what is queued first`() async throws {
            let server = try await TestServer()
            let client = try await TestClient(configuration(server))
            #expect(try await client.events.next() == .connected(nil))
            try await client.with { client in
                client.send(Array("last".utf8))
                client.close(code: 4000, reason: "done")
                client.close(code: 4001)
                #expect(!client.send(Array("too late".utf8)))
            }
            #expect(try await client.events.next() == .closed(4000, "done", error: nil))
            _ = try await server.events.next()
            #expect(try await server.events.next() == .received("last"))
            #expect(try await server.events.next() == .closed(4000, "done"))
            await stop(client, server)
        }

        @Test func `a client connects again after its end`() async throws {
            let server = try await TestServer(.echo)
            let client = try await TestClient(configuration(server))
            for _ in 0..<3 {
                #expect(try await client.events.next() == .connected(nil))
                try await client.with { $0.close() }
                #expect(try await client.events.next() == .closed(1000, "", error: nil))
                try await client.with { $0.connect() }
            }
            #expect(try await client.events.next() == .connected(nil))
            await stop(client, server)
        }

        @Test func `what a lost connection didn't send isn't sent on the next one`() async throws {
            let server = try await TestServer()
            var configuration = configuration(server)
            configuration.maxBufferedBytes = 1 << 20
            configuration.closeTimeout = .milliseconds(50)
            let client = try await TestClient(configuration)
            _ = try await fill(client, server)
            // The server doesn't answer that, and what waits is lost with the connection.
            try await client.with { $0.close() }
            while true { if case .closed = try await client.events.next() { break } }
            #expect(try await client.with { $0.bufferedBytes } == 0)
            try await client.with { $0.connect() }
            #expect(try await client.events.next() == .connected(nil))
            #expect(try await client.send("hello"))
            while true {
                guard case .received(let text) = try await server.events.next() else { continue }
                #expect(text == "hello")
                break
            }
            // Nor is it told of room for what was refused before.
            #expect(client.events.pending.isEmpty)
            await stop(client, server)
        }

        @Test func `a client asks in each of its connections whether a silent server is there`()
            async throws
        {
            let asked = Shared<Set<UInt64>>([])
            var behaviour = Behaviour()
            behaviour.oddments = { connection in
                let id = connection.id
                asked.change { $0.insert(id) }
            }
            let server = try await TestServer(behaviour)
            var configuration = configuration(server)
            configuration.pingInterval = .milliseconds(20)
            let client = try await TestClient(configuration)
            for number in 1...2 {
                #expect(try await client.events.next() == .connected(nil))
                #expect(await eventually { asked.value.count == number })
                try await client.with { $0.close() }
                #expect(try await client.events.next() == .closed(1000, "", error: nil))
                try await client.with { $0.connect() }
            }
            #expect(try await client.events.next() == .connected(nil))
            await stop(client, server)
        }

        @Test func `a client notices in each of its connections that the server is dead`()
            async throws
        {
            let server = try await TestServer(Behaviour(opened: { $0.pauseReading() }))
            var configuration = configuration(server)
            configuration.pingInterval = .milliseconds(20)
            configuration.deadPeerTimeout = .milliseconds(60)
            let client = try await TestClient(configuration)
            for _ in 1...2 {
                #expect(try await client.events.next() == .connected(nil))
                guard case .closed(1006, _, let error?) = try await client.events.next() else {
                    Issue.record("Not closed with a sentence.")
                    return
                }
                #expect(error.hasPrefix("The peer gave no sign of life"))
                try await client.with { $0.connect() }
            }
            #expect(try await client.events.next() == .connected(nil))
            await stop(client, server)
        }

        @Test func `a refused connection is a sentence`() async throws {
            let gone = try await TestServer()
            await gone.stop()
            let client = try await TestClient(
                WebSocketClientConfiguration(host: "127.0.0.1", port: gone.port))
            let sentence = "Connection refused by 127.0.0.1:\(gone.port)."
            #expect(try await client.events.next() == .closed(1006, "", error: sentence))
            await client.loop.shutDown()
            #expect(client.events.pending.isEmpty)
        }

        @Test func `on a loop that has stopped it is over at once`() async throws {
            let loop = try EventLoop(name: "over")
            await loop.shutDown()
            let client = try await TestClient(
                WebSocketClientConfiguration(host: "127.0.0.1", port: 1), on: loop)
            let sentence = "The event loop has stopped."
            #expect(try await client.events.next() == .closed(1006, "", error: sentence))
            #expect(try await !client.send("x"))
            #expect(client.events.pending.isEmpty)
        }

        @Test func `who connects once more has one connection`() async throws {
            let server = try await TestServer(.echo)
            let client = try await TestClient(configuration(server))
            // While it is being made, and when it is there.
            try await client.with { $0.connect() }
            #expect(try await client.events.next() == .connected(nil))
            try await client.with { $0.connect() }
            try await client.send("x")
            #expect(try await client.events.next() == .received("x"))
            #expect(try await server.with { $0.server?.connectionCount } == 1)
            await stop(client, server)
        }

        @Test func `an unknown name is a sentence`() async throws {
            let client = try await TestClient(
                WebSocketClientConfiguration(host: "no-such-host.invalid", port: 1))
            // As long as the machine's resolver takes.
            let event = try await client.events.next(within: .seconds(20))
            guard case .closed(1006, _, let error?) = event else {
                Issue.record("Not closed with a sentence.")
                return
            }
            #expect(error.hasPrefix("DNS: the name no-such-host.invalid was not found ("))
            await client.loop.shutDown()
        }

        @Test(arguments: [(403, ""), (404, ""), (400, " Does it want wss://?"), (503, "")])
        func `a server that refuses is a sentence with its status`(
            status: Int, hint: String
        ) async throws {
            let server = try await TestServer(
                Behaviour(accept: { _ in .refuse(status: status, reason: "No.") }))
            let client = try await TestClient(configuration(server))
            let place = "127.0.0.1:\(server.port)"
            let sentence =
                "The server at \(place) answered HTTP status \(status) instead of a WebSocket."
                + hint
            #expect(try await client.events.next() == .closed(1006, "", error: sentence))
            await stop(client, server)
        }

        @Test func `a server without the subprotocol is a sentence`() async throws {
            let peer = try Listener()
            let client = try await TestClient(
                WebSocketClientConfiguration(
                    host: "127.0.0.1", port: peer.port, subprotocols: ["storecast.v1"]))
            try peer.accept()
            let key = try peer.readKey()
            // A handshake that is right but for the subprotocol.
            try peer.send(
                text: """
                    HTTP/1.1 101 Switching Protocols\r
                    Upgrade: websocket\r
                    Connection: Upgrade\r
                    Sec-WebSocket-Accept: \(Listener.accept(key))\r
                    \r

                    """)
            let sentence =
                "The server at 127.0.0.1:\(peer.port) did not accept the subprotocol storecast.v1."
            #expect(try await client.events.next() == .closed(1006, "", error: sentence))
            await client.loop.shutDown()
        }

        @Test func `a server that says nothing is given up`() async throws {
            let peer = try Listener()
            let client = try await TestClient(
                WebSocketClientConfiguration(host: "127.0.0.1", port: peer.port),
                connectTimeout: .milliseconds(50))
            let sentence = "No answer from 127.0.0.1:\(peer.port) within 0.05 seconds."
            #expect(try await client.events.next() == .closed(1006, "", error: sentence))
            await client.loop.shutDown()
            #expect(client.events.pending.isEmpty)
        }

        @Test func `of many who connect at once, so many do at a time, in order`() {
            let queue = AttemptQueue()
            let most = AttemptQueue.most
            var begun: [Int] = []
            for number in 0..<(most + 4) {
                queue.enter {
                    // Whose owner doesn't want to any more.
                    if number == most { return false }
                    begun.append(number)
                    // It ends before it has begun.
                    if number == most + 2 { queue.leave() }
                    return true
                }
            }
            #expect(begun == Array(0..<most))
            queue.leave()
            #expect(begun == Array(0..<most) + [most + 1])
            queue.leave()
            #expect(begun == Array(0..<most) + [most + 1, most + 2, most + 3])
        }

        @Test func `more clients than may connect at a time all connect, but who gives up`()
            async throws
        {
            let server = try await TestServer(.echo)
            let loop = try EventLoop()
            let events = Mailbox<Bool>()
            let count = 2 * AttemptQueue.most
            let clients = try await loop.perform { [port = server.port] in
                let clients = (0..<count).map { _ in
                    CountedClient(on: loop, port: port, events)
                }
                // The last, whose turn it can't be yet.
                clients[count - 1].client.close()
                return OnLoop(clients, loop)
            }
            var isOpen: [Bool] = []
            for _ in 0..<count { isOpen.append(try await events.next()) }
            #expect(isOpen.count { $0 } == count - 1)
            #expect(!isOpen[0])
            withExtendedLifetime(clients) {}
            await loop.shutDown()
            await server.stop()
        }

        @Test func `a message over the client's limit ends with 1009`() async throws {
            let server = try await TestServer(.echo)
            var configuration = configuration(server)
            configuration.maxMessageBytes = 10
            let client = try await TestClient(configuration)
            #expect(try await client.events.next() == .connected(nil))
            try await client.send("12345678901")
            let reason = "A message may have 10 bytes."
            #expect(try await client.events.next() == .closed(1009, reason, error: nil))
            await stop(client, server)
        }

        private func configuration(_ server: TestServer) -> WebSocketClientConfiguration {
            WebSocketClientConfiguration(host: "127.0.0.1", port: server.port)
        }

        /// Connects to a server that doesn't read, and sends it 100,000 bytes at a time until no
        /// more may wait; returns how often that was.
        private func fill(_ client: TestClient, _ server: TestServer) async throws -> Int {
            #expect(try await client.events.next() == .connected(nil))
            _ = try await server.events.next()
            try await server.with { $0.connections[0].pauseReading() }
            let text = [UInt8](repeating: 0x61, count: 100_000)
            var sent = 0
            while try await client.with({ $0.send(text) }), sent < 1000 { sent += 1 }
            #expect(sent < 1000)
            return sent
        }

        private func stop(_ client: TestClient, _ server: TestServer) async {
            await client.loop.shutDown()
            await server.stop()
        }
    }
}

/// A client that tells whether it has connected, once.
private final class CountedClient: WebSocketClientDelegate {
    private(set) var client: WebSocketClient!
    private let events: Mailbox<Bool>

    init(on loop: EventLoop, port: Int, _ events: Mailbox<Bool>) {
        self.events = events
        client = WebSocketClient(
            on: loop,
            configuration: WebSocketClientConfiguration(host: "127.0.0.1", port: port),
            delegate: self)
        client.connect()
    }

    func connected(_ client: WebSocketClient, subprotocol: String?) { events.post(true) }

    func received(_ client: WebSocketClient, text: UnsafeRawBufferPointer) {}

    func closed(_ client: WebSocketClient, code: UInt16, reason: String, error: String?) {
        events.post(false)
    }
}
