import Glibc
import StorecastWebSocket
import Testing

extension SocketTests {
    @Suite(.timeLimit(.minutes(30))) struct WebSocketServerTests {
        @Test func `a message comes back`() async throws {
            let server = try await TestServer(.echo)
            let peer = try RawPeer.open(port: server.port, path: "/rooms/lobby?x=1")
            #expect(
                try await server.events.next() == .opened(path: "/rooms/lobby", subprotocol: nil))
            try peer.send(head: 0x81, Array("Grüße".utf8))
            #expect(try peer.readFrame() == .init(opcode: 0x81, payload: Array("Grüße".utf8)))
            try peer.send(head: 0x81, [])
            #expect(try peer.readFrame() == .init(opcode: 0x81, payload: []))
            await server.stop()
        }

        @Test(arguments: [125, 126, 1024, 1025, 65535, 65536, 1 << 20])
        func `a message of any size comes back whole`(count: Int) async throws {
            let server = try await TestServer(.echo)
            let peer = try RawPeer.open(port: server.port)
            let text = (0..<count).map { UInt8(97 + $0 % 26) }
            try peer.send(head: 0x81, text)
            #expect(try peer.readFrame() == .init(opcode: 0x81, payload: text))
            await server.stop()
        }

        @Test func `fragments are put together, with a ping between them`() async throws {
            let server = try await TestServer(.echo)
            let peer = try RawPeer.open(port: server.port)
            // The two bytes of ü are in different fragments.
            try peer.send(head: 0x01, [0x47, 0xC3])
            try peer.send(head: 0x89, [1, 2, 3])
            try peer.send(head: 0x00, [])
            try peer.send(head: 0x80, [0xBC, 0x74])
            let frames = [try peer.readFrame(), try peer.readFrame()]
            #expect(frames.contains(.init(opcode: 0x8A, payload: [1, 2, 3])))
            #expect(frames.contains(.init(opcode: 0x81, payload: Array("Güt".utf8))))
            await server.stop()
        }

        @Test func `a handshake and a message in bytes of their own arrive`() async throws {
            let server = try await TestServer(.echo)
            let peer = try RawPeer(port: server.port)
            for byte in RawPeer.request().utf8 { try peer.send([byte]) }
            #expect(try peer.readHead().hasPrefix("HTTP/1.1 101 "))
            for byte in RawPeer.frame(head: 0x81, Array("slow".utf8)) { try peer.send([byte]) }
            #expect(try peer.readFrame() == .init(opcode: 0x81, payload: Array("slow".utf8)))
            await server.stop()
        }

        @Test func `a message right behind the handshake isn't lost`() async throws {
            let server = try await TestServer(.echo)
            let peer = try RawPeer(port: server.port)
            try peer.send(
                Array(RawPeer.request().utf8) + RawPeer.frame(head: 0x81, Array("eager".utf8)))
            // The accept token of RFC 6455 section 1.3 for this key.
            #expect(
                try peer.readHead().contains("Sec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo="))
            #expect(try peer.readFrame() == .init(opcode: 0x81, payload: Array("eager".utf8)))
            await server.stop()
        }

        @Test func `of many pings in one segment the sixteen newest are answered`() async throws {
            let server = try await TestServer(.echo)
            let peer = try RawPeer.open(port: server.port)
            let pings = (1...20).flatMap { RawPeer.frame(head: 0x89, [UInt8($0)]) }
            try peer.send(pings + RawPeer.frame(head: 0x81, [0x78]))
            // RFC 6455 section 5.5.3 lets a peer answer only the most recent.
            for number in 5...20 {
                #expect(try peer.readFrame() == .init(opcode: 0x8A, payload: [UInt8(number)]))
            }
            #expect(try peer.readFrame() == .init(opcode: 0x81, payload: [0x78]))
            try peer.send(head: 0x89, [21])
            #expect(try peer.readFrame() == .init(opcode: 0x8A, payload: [21]))
            await server.stop()
        }

        @Test(arguments: [RawPeer.closeFrame(1000), RawPeer.frame(head: 0xC1, [0x61])])
        func `a ping is answered before the end that comes in the same segment`(
            _ end: [UInt8]
        ) async throws {
            let server = try await TestServer({ $0.closeTimeout = .milliseconds(100) })
            let peer = try RawPeer.open(port: server.port)
            try peer.send(RawPeer.frame(head: 0x89, [1]) + end)
            #expect(try peer.readFrame() == .init(opcode: 0x8A, payload: [1]))
            #expect(try peer.readFrame()?.opcode == 0x88)
            await server.stop()
        }

        @Test func `many messages right behind the handshake arrive in order`() async throws {
            let server = try await TestServer()
            let peer = try RawPeer(port: server.port)
            let frames = (0..<500).flatMap { RawPeer.frame(head: 0x81, Array("\($0)".utf8)) }
            // The last frame comes later: the first part ends in the middle of one.
            try peer.send(Array(RawPeer.request().utf8) + frames.dropLast(3))
            _ = try peer.readHead()
            try peer.send(Array(frames.suffix(3)))
            _ = try await server.events.next()
            for number in 0..<500 {
                #expect(try await server.events.next() == .received("\(number)"))
            }
            await server.stop()
        }

        @Test func `reading that is paused in the middle of a read keeps what was read`()
            async throws
        {
            // After every third message no more is taken until the test says so.
            let count = Shared(0)
            let server = try await TestServer(
                Behaviour(received: { connection, _ in
                    count.change { $0 += 1 }
                    if count.value % 3 == 0 { connection.pauseReading() }
                }))
            let peer = try RawPeer.open(port: server.port)
            _ = try await server.events.next()
            try peer.send((0..<30).flatMap { RawPeer.frame(head: 0x81, Array("\($0)".utf8)) })
            for number in 0..<40 {
                try #require(try await server.events.next() == .received("\(number)"))
                guard number % 3 == 2 else { continue }
                try await server.with { _ in }
                #expect(server.events.pending.isEmpty)
                // What comes meanwhile stays behind what was kept.
                if number < 30 {
                    try peer.send(head: 0x81, Array("\(30 + number / 3)".utf8))
                }
                try await server.with { $0.connections[0].resumeReading() }
            }
            await server.stop()
        }

        @Test func `what ends a turn runs once for many messages`() async throws {
            let (count, ends) = (Shared(0), Shared([Int]()))
            let server = try await TestServer(
                Behaviour(received: { _, _ in count.change { $0 += 1 } }))
            try await server.with { _ in
                server.loop.onTurnEnd { ends.change { $0.append(count.value) } }
            }
            let peer = try RawPeer.open(port: server.port)
            _ = try await server.events.next()
            try peer.send(
                (0..<100).flatMap { _ in RawPeer.frame(head: 0x81, [0x61]) })
            for _ in 0..<100 { _ = try await server.events.next() }
            await server.stop()
            // 700 bytes are one or two reads.
            #expect(Set(ends.value).subtracting([0]).count <= 8)
            #expect(ends.value.last == 100)
        }

        @Test func `reading can be paused and goes on where it stopped`() async throws {
            let server = try await TestServer()
            let peer = try RawPeer.open(port: server.port)
            _ = try await server.events.next()
            try await server.with { $0.connections[0].pauseReading() }
            try peer.send((0..<500).flatMap { RawPeer.frame(head: 0x81, Array("\($0)".utf8)) })
            try await server.with { _ in }
            try await server.with { _ in }
            #expect(server.events.pending.isEmpty)
            try await server.with { $0.connections[0].resumeReading() }
            for number in 0..<500 {
                #expect(try await server.events.next() == .received("\(number)"))
            }
            await server.stop()
        }

        @Test func `several frames go out in one write, in order`() async throws {
            let server = try await TestServer()
            let peer = try RawPeer.open(port: server.port)
            _ = try await server.events.next()
            try await server.with { recorder in
                let frames = (0..<3).map { WebSocketFrameHeader.frame(text: "n\($0)".utf8) }
                #expect(recorder.connections[0].write(Array(frames.joined())))
            }
            for number in 0..<3 {
                #expect(try peer.readFrame()?.payload == Array("n\(number)".utf8))
            }
            await server.stop()
        }

        /// What a connection is doing while it has a place.
        enum Occupation: CaseIterable { case silent, asking, open, answered, closing }

        private func occupy(_ server: TestServer, _ occupation: Occupation) async throws -> RawPeer
        {
            switch occupation {
            case .silent: return try RawPeer(port: server.port)
            case .asking:
                let peer = try RawPeer(port: server.port)
                try peer.send(text: "GET / HTTP/1.1\r\nHost:")
                return peer
            case .open, .closing:
                let peer = try RawPeer.open(port: server.port)
                _ = try await server.events.next()
                if occupation == .closing {
                    try await server.with { $0.connections.last?.close(code: 4000) }
                }
                return peer
            case .answered:
                let peer = try RawPeer(port: server.port, receiveBuffer: 4096)
                try peer.send(text: "GET / HTTP/1.1\r\nHost: a\r\n\r\n")
                _ = try peer.readHead()
                return peer
            }
        }

        @Test(arguments: Occupation.allCases, [1, 3])
        func `a connection has its place from the first to the last, and no more are let in`(
            _ occupation: Occupation, _ places: Int
        ) async throws {
            let server = try await TestServer(
                {
                    $0.maxConnections = places
                    $0.handshakeTimeout = .seconds(60)
                    $0.closeTimeout = .seconds(60)
                },
                Behaviour(respond: { _ in HTTPResponse(status: 200, body: PlainRequestTests.body) })
            )
            var peers: [RawPeer] = []
            for _ in 1...places { peers.append(try await occupy(server, occupation)) }
            for _ in 1...2 { #expect(try RawPeer.status(port: server.port) == "503") }
            peers.removeFirst()
            // One place, as soon as the server has noticed.
            var status = "503"
            let start = server.loop.now()
            while status == "503", server.loop.now() - start < .seconds(60) {
                status = try RawPeer.status(port: server.port)
            }
            #expect(status == "101")
            withExtendedLifetime(peers) {}
            await server.stop()
        }

        @Test func `a socket that listens already may be one that blocks`() async throws {
            let listener = try Listener()
            let server = try await TestServer({ $0.descriptor = listener.descriptor }, .echo)
            // It is the same socket for whoever has a descriptor of it. Else the loop would wait for
            // a second connection behind the first.
            try #require(fcntl(listener.descriptor, F_GETFL) & O_NONBLOCK != 0)
            for _ in 1...2 {
                let peer = try RawPeer.open(port: listener.port)
                try peer.send(head: 0x81, Array("a".utf8))
                #expect(try peer.readFrame()?.payload == Array("a".utf8))
            }
            await server.stop()
        }

        @Test func `a port in use is a sentence`() async throws {
            let server = try await TestServer()
            let port = server.port
            let error = try await server.with { recorder in
                var configuration = WebSocketServerConfiguration()
                configuration.port = port
                do {
                    _ = try WebSocketServer(
                        on: server.loop, configuration: configuration, delegate: recorder)
                    return ""
                } catch { return "\(error)" }
            }
            #expect(
                error == "Can't listen on 127.0.0.1:\(port): Address already in use. "
                    + "Choose another port (0 for any free one) or stop what uses it.")
            await server.stop()
        }

        @Test func `two loops share a port`() async throws {
            let first = try await TestServer({ $0.reusePort = true }, .echo)
            let second = try await TestServer(
                { [port = first.port] in
                    $0.reusePort = true
                    $0.port = port
                }, .echo)
            for _ in 0..<20 {
                let peer = try RawPeer.open(port: first.port)
                try peer.send(head: 0x81, [0x61])
                #expect(try peer.readFrame()?.payload == [0x61])
            }
            await first.stop()
            await second.stop()
        }
    }
}
