import StorecastWebSocket
import Testing

extension SocketTests {
    /// How connections end.
    @Suite(.timeLimit(.minutes(30))) struct WebSocketConnectionTests {
        @Test(arguments: [1000, 1001, 1011, 1012, 1013, 1014, 3000, 4000, 4999] as [UInt16])
        func `the peer's code is heard and sent back`(code: UInt16) async throws {
            let server = try await TestServer()
            let peer = try RawPeer.open(port: server.port)
            _ = try await server.events.next()
            try peer.send(RawPeer.closeFrame(code, "so long"))
            let echo = RawPeer.Frame(opcode: 0x88, payload: [UInt8(code >> 8), UInt8(code & 0xFF)])
            #expect(try peer.readFrame() == echo)
            #expect(try peer.readFrame() == nil)
            #expect(try await server.events.next() == .closed(code, "so long"))
            await server.stop()
        }

        @Test func `a close frame without a code is 1005 and answered by an empty one`()
            async throws
        {
            let server = try await TestServer()
            let peer = try RawPeer.open(port: server.port)
            _ = try await server.events.next()
            try peer.send(head: 0x88, [])
            #expect(try peer.readFrame() == .init(opcode: 0x88, payload: []))
            #expect(try await server.events.next() == .closed(1005, ""))
            await server.stop()
        }

        @Test(arguments: [
            RawPeer.frame(head: 0x88, [0x03]),
            RawPeer.closeFrame(0), RawPeer.closeFrame(999), RawPeer.closeFrame(1004),
            RawPeer.closeFrame(1005), RawPeer.closeFrame(1006), RawPeer.closeFrame(1015),
            RawPeer.closeFrame(1016), RawPeer.closeFrame(2999), RawPeer.closeFrame(5000),
            RawPeer.closeFrame(65535),
            // Frames without a mask, whatever they carry.
            RawPeer.frame(head: 0x81, [0x61], masked: false),
            RawPeer.frame(head: 0x89, [], masked: false),
            RawPeer.frame(head: 0x88, [0x03, 0xE8], masked: false),
            // Lengths that fit in fewer bytes.
            [0x81, 0xFE, 0x00, 0x7D, 1, 2, 3, 4], [0x81, 0xFF, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF],
            // A reserved opcode, a reserved bit, a fragmented ping, a lone continuation.
            RawPeer.frame(head: 0x83, []), RawPeer.frame(head: 0xC1, [0x61]),
            RawPeer.frame(head: 0x09, []), RawPeer.frame(head: 0x80, [0x61]),
            // Control frames of more than 125 bytes, and a length of 2^63.
            RawPeer.frame(head: 0x89, Array(repeating: 0x61, count: 126)),
            RawPeer.closeFrame(1000, String(repeating: "a", count: 124)),
            RawPeer.frame(head: 0x8A, Array(repeating: 0x61, count: 65_536)),
            [0x81, 0xFF, 0x80, 0, 0, 0, 0, 0, 0, 0, 1, 2, 3, 4, 5],
        ])
        func `a violation of the protocol is answered by 1002`(bytes: [UInt8]) async throws {
            let server = try await TestServer({ $0.closeTimeout = .milliseconds(100) })
            let peer = try RawPeer.open(port: server.port)
            _ = try await server.events.next()
            try peer.send(bytes)
            let answer = try #require(try peer.readFrame())
            #expect(answer.opcode == 0x88)
            #expect(answer.payload.prefix(2) == [0x03, 0xEA])
            guard case .closed(1002, _) = try await server.events.next() else {
                Issue.record("Not closed with 1002.")
                return
            }
            await server.stop()
        }

        @Test(
            arguments: [
                [(0x81, [0xFF])],
                [(0x81, [0xC3])],
                [(0x81, [0xED, 0xA0, 0x80])],
                [(0x01, [0x61, 0xF4]), (0x80, [0x90, 0x80, 0x80])],
                [(0x01, [0xC3]), (0x80, [])],
            ] as [[(UInt8, [UInt8])]])
        func `text that isn't UTF-8 is answered by 1007`(_ frames: [(UInt8, [UInt8])]) async throws
        {
            try await expectClose(1007, after: frames.map { RawPeer.frame(head: $0.0, $0.1) })
        }

        @Test func `a binary message is answered by 1003`() async throws {
            try await expectClose(1003, after: [RawPeer.frame(head: 0x82, [1, 2, 3])])
        }

        @Test func `a message over the limit is answered by 1009, however it comes`() async throws {
            let one = RawPeer.frame(head: 0x81, Array(repeating: 0x61, count: 4097))
            try await expectClose(1009, after: [one])
            let part = RawPeer.frame(head: 0x01, Array(repeating: 0x61, count: 4000))
            let rest = RawPeer.frame(head: 0x00, Array(repeating: 0x61, count: 97))
            try await expectClose(1009, after: [part, rest])
            // Only announced: 2^62 bytes are to come.
            let header: [UInt8] = [0x81, 0xFF, 0x40, 0, 0, 0, 0, 0, 0, 0, 1, 2, 3, 4, 5]
            try await expectClose(1009, after: [header])
        }

        @Test func `nothing follows our close frame, whatever else is wrong`() async throws {
            let server = try await TestServer({ $0.closeTimeout = .milliseconds(100) })
            let peer = try RawPeer.open(port: server.port)
            _ = try await server.events.next()
            try peer.send(
                RawPeer.frame(head: 0x82, [1]) + RawPeer.frame(head: 0x83, [])
                    + RawPeer.frame(head: 0x09, []))
            #expect(try peer.readFrame()?.payload.prefix(2) == [0x03, 0xEB])
            #expect(try peer.readToEnd() == [])
            await server.stop()
        }

        @Test(arguments: [
            RawPeer.frame(head: 0x83, []), RawPeer.frame(head: 0xF1, [0x61]),
            RawPeer.frame(head: 0x81, [0xFF]), RawPeer.frame(head: 0x81, [0x61], masked: false),
            RawPeer.frame(head: 0x89, Array(repeating: 0x61, count: 126)),
            [0x81, 0xFF, 0x80, 0, 0, 0, 0, 0, 0, 0, 1, 2, 3, 4, 5], RawPeer.closeFrame(999),
        ])
        func `garbage behind a polite close of ours draws no second close frame`(
            garbage: [UInt8]
        ) async throws {
            let server = try await TestServer(
                { $0.closeTimeout = .milliseconds(100) },
                Behaviour(opened: { $0.close(code: 4100) })
            )
            let peer = try RawPeer.open(port: server.port)
            #expect(try peer.readFrame() == .init(opcode: 0x88, payload: [0x10, 0x04]))
            try peer.send(garbage)
            #expect(try peer.readToEnd() == [])
            _ = try await server.events.next()
            #expect(try await server.events.next() == .closed(4100, ""))
            await server.stop()
        }

        @Test func `a message without a mask isn't heard`() async throws {
            let server = try await TestServer({ $0.closeTimeout = .milliseconds(100) }, .echo)
            let peer = try RawPeer.open(port: server.port)
            _ = try await server.events.next()
            try peer.send(head: 0x81, [0x61], masked: false)
            #expect(try peer.readFrame()?.payload.prefix(2) == [0x03, 0xEA])
            #expect(try peer.readToEnd() == [])
            guard case .closed(1002, _) = try await server.events.next() else {
                Issue.record("Heard, or not closed with 1002.")
                return
            }
            await server.stop()
        }

        @Test func `a peer that only stops sending is 1006`() async throws {
            let server = try await TestServer()
            let peer = try RawPeer.open(port: server.port)
            _ = try await server.events.next()
            try peer.send(head: 0x81, [0x61])
            peer.stopSending()
            #expect(try await server.events.next() == .received("a"))
            #expect(try await server.events.next() == .closed(1006, ""))
            #expect(try peer.readToEnd() == [])
            await server.stop()
        }

        @Test func `a stalled peer that closes gets what was written before the answer`()
            async throws
        {
            let text = [UInt8](repeating: 0x7A, count: 8 << 20)
            let server = try await TestServer(
                Behaviour(opened: { $0.write(WebSocketFrameHeader.frame(text: text)) }))
            let peer = try RawPeer.open(port: server.port, receiveBuffer: 16 << 10)
            _ = try await server.events.next()
            try peer.send(head: 0x89, [1])
            try peer.send(RawPeer.closeFrame(1001))
            try await server.with { _ in }
            #expect(try peer.readFrame()?.payload == text)
            #expect(try peer.readFrame() == .init(opcode: 0x88, payload: [0x03, 0xE9]))
            #expect(try peer.readFrame() == nil)
            #expect(try await server.events.next() == .closed(1001, ""))
            await server.stop()
        }

        private func expectClose(_ code: UInt16, after pieces: [[UInt8]]) async throws {
            let server = try await TestServer({
                $0.maxMessageBytes = 4096
                $0.closeTimeout = .milliseconds(100)
            })
            let peer = try RawPeer.open(port: server.port)
            _ = try await server.events.next()
            for piece in pieces { try peer.send(piece) }
            let answer = try #require(try peer.readFrame())
            #expect(answer.opcode == 0x88)
            #expect(answer.payload.prefix(2) == [UInt8(code >> 8), UInt8(code & 0xFF)])
            #expect(server.events.pending.isEmpty)
            guard case .closed(code, _) = try await server.events.next() else {
                Issue.record("Not closed with \(code).")
                return
            }
            await server.stop()
        }

        @Test func `closing sends what was written before, and waits for the answer`() async throws
        {
            let server = try await TestServer(
                Behaviour(received: { connection, text in
                    connection.send(text: text)
                    connection.close(code: 4001, reason: "enough")
                    connection.close(code: 4002, reason: "again")
                    #expect(!connection.send(text: text))
                }))
            let peer = try RawPeer.open(port: server.port)
            _ = try await server.events.next()
            try peer.send(head: 0x81, [0x61])
            #expect(try peer.readFrame() == .init(opcode: 0x81, payload: [0x61]))
            let close = try #require(try peer.readFrame())
            #expect(close == .init(opcode: 0x88, payload: [0x0F, 0xA1] + Array("enough".utf8)))
            _ = try await server.events.next()
            // Dropped: it comes after the server's close frame.
            try peer.send(head: 0x81, [0x62])
            try peer.send(RawPeer.closeFrame(4001))
            #expect(try peer.readFrame() == nil)
            #expect(try await server.events.next() == .closed(4001, "enough"))
            await server.stop()
        }

        @Test func `a peer that doesn't answer a close frame is cut`() async throws {
            let server = try await TestServer(
                { $0.closeTimeout = .milliseconds(50) }, Behaviour(opened: { $0.close(code: 1000) })
            )
            let peer = try RawPeer.open(port: server.port)
            #expect(try await server.events.next() == .opened(path: "/", subprotocol: nil))
            #expect(try peer.readFrame() == .init(opcode: 0x88, payload: [0x03, 0xE8]))
            #expect(try peer.readFrame() == nil)
            #expect(try await server.events.next() == .closed(1000, ""))
            await server.stop()
        }

        @Test func `data after the peer's close frame is dropped`() async throws {
            let server = try await TestServer()
            let peer = try RawPeer.open(port: server.port)
            _ = try await server.events.next()
            try peer.send(RawPeer.closeFrame(1000) + RawPeer.frame(head: 0x81, [0x61]))
            #expect(try await server.events.next() == .closed(1000, ""))
            await server.stop()
            #expect(server.events.pending.isEmpty)
        }

        @Test func `a connection that breaks is 1006`() async throws {
            let server = try await TestServer()
            do {
                let peer = try RawPeer.open(port: server.port)
                _ = try await server.events.next()
                try peer.send(head: 0x01, [0x61])
            }
            #expect(try await server.events.next() == .closed(1006, ""))
            await server.stop()
            #expect(server.events.pending.isEmpty)
        }

        @Test func `a silent peer is asked, and cut when it stays silent`() async throws {
            let server = try await TestServer({
                $0.pingInterval = .milliseconds(20)
                $0.deadPeerTimeout = .milliseconds(1000)
            })
            let peer = try RawPeer.open(port: server.port)
            _ = try await server.events.next()
            let ping = try #require(try peer.readFrame())
            #expect(ping.opcode == 0x89)
            #expect(ping.payload.count == 8)
            guard case .closed(1006, let reason) = try await server.events.next() else {
                Issue.record("Not closed with 1006.")
                return
            }
            #expect(reason.hasPrefix("The peer gave no sign of life"))
            await server.stop()
        }

        @Test func `a shutdown tells open connections that the server goes away`() async throws {
            let server = try await TestServer()
            let peer = try RawPeer.open(port: server.port)
            _ = try await server.events.next()
            await server.stop()
            #expect(try peer.readFrame() == .init(opcode: 0x88, payload: [0x03, 0xE9]))
            #expect(try await server.events.next() == .closed(1001, "The event loop stops."))
            #expect(server.events.pending.isEmpty)
        }

        @Test func `closing a server closes its connections and says when that is done`()
            async throws
        {
            let server = try await TestServer()
            let peers = try (0..<3).map { _ in try RawPeer.open(port: server.port) }
            for _ in peers { _ = try await server.events.next() }
            let done = Mailbox<Int>()
            try await server.with { recorder in
                let server = try #require(recorder.server)
                server.close { [unowned server] in done.post(server.connectionCount) }
            }
            for peer in peers {
                #expect(try peer.readFrame()?.payload == [0x03, 0xE9])
                try peer.send(RawPeer.closeFrame(1001))
            }
            #expect(try await done.next() == 0)
            #expect(throws: RawPeer.Failure.self) { _ = try RawPeer(port: server.port) }
            for _ in peers { #expect(try await server.events.next() == .closed(1001, "")) }
            await server.stop()
        }
    }
}
