import StorecastWebSocket
import Testing

extension SocketTests {
    /// A peer that doesn't read.
    @Suite(.timeLimit(.minutes(30))) struct BackPressureTests {
        @Test func `a stalled peer costs one write, and gets every byte when it reads`()
            async throws
        {
            let server = try await TestServer()
            let peer = try RawPeer.open(port: server.port, receiveBuffer: 16 << 10)
            _ = try await server.events.next()
            let writes = try await server.with { recorder in
                let connection = recorder.connections[0]
                var count = 0
                while connection.isWritable, count < 10_000 {
                    let text = "\(count) " + String(repeating: "x", count: 20_000)
                    #expect(connection.write(WebSocketFrameHeader.frame(text: text.utf8)))
                    count += 1
                }
                #expect(connection.pendingBytes > 0)
                #expect(connection.pendingBytes < 20_020)
                #expect(!connection.write([0x81, 0x00]))
                return count
            }
            #expect(writes < 10_000)
            for number in 0..<writes {
                let frame = try #require(try peer.readFrame())
                #expect(frame.payload.count > 20_000)
                #expect(frame.payload.starts(with: Array("\(number) x".utf8)))
            }
            #expect(try await server.events.next() == .writable)
            try await server.with { recorder in
                #expect(recorder.connections[0].isWritable)
                #expect(recorder.connections[0].pendingBytes == 0)
                recorder.connections[0].write(WebSocketFrameHeader.frame(text: "end".utf8))
            }
            #expect(try peer.readFrame()?.payload == Array("end".utf8))
            await server.stop()
        }

        @Test func `a stalled peer that is closed gets what was written, then the close`()
            async throws
        {
            let server = try await TestServer()
            let peer = try RawPeer.open(port: server.port, receiveBuffer: 16 << 10)
            _ = try await server.events.next()
            let text = String(repeating: "y", count: 8 << 20)
            try await server.with { recorder in
                recorder.connections[0].write(WebSocketFrameHeader.frame(text: text.utf8))
                #expect(!recorder.connections[0].isWritable)
                recorder.connections[0].close(code: 4000)
            }
            #expect(try peer.readFrame()?.payload == Array(text.utf8))
            #expect(try peer.readFrame() == .init(opcode: 0x88, payload: [0x0F, 0xA0]))
            try peer.send(RawPeer.closeFrame(4000))
            #expect(try await server.events.next() == .closed(4000, ""))
            await server.stop()
        }

        @Test func `a stalled peer that violates the protocol gets what was written, and the end`()
            async throws
        {
            let server = try await TestServer({ $0.closeTimeout = .seconds(600) })
            let peer = try RawPeer.open(port: server.port, receiveBuffer: 16 << 10)
            _ = try await server.events.next()
            let text = String(repeating: "y", count: 8 << 20)
            try await server.with { recorder in
                recorder.connections[0].write(WebSocketFrameHeader.frame(text: text.utf8))
                #expect(!recorder.connections[0].isWritable)
            }
            try peer.send(RawPeer.frame(head: 0xC1, [0x61]))
            #expect(try peer.readFrame()?.payload == Array(text.utf8))
            #expect(try peer.readFrame()?.payload.prefix(2) == [0x03, 0xEA])
            #expect(try peer.readFrame() == nil)
            await server.stop()
        }

        @Test func `a stalled peer that stays silent is cut with bytes still waiting`() async throws
        {
            let server = try await TestServer(
                {
                    $0.pingInterval = .milliseconds(20)
                    $0.deadPeerTimeout = .milliseconds(100)
                },
                Behaviour(opened: { connection in
                    let text = [UInt8](repeating: 0x7A, count: 8 << 20)
                    connection.write(WebSocketFrameHeader.frame(text: text))
                }))
            let peer = try RawPeer.open(port: server.port, receiveBuffer: 16 << 10)
            _ = try await server.events.next()
            guard case .closed(1006, _) = try await server.events.next() else {
                Issue.record("Not closed with 1006.")
                return
            }
            _ = peer
            await server.stop()
        }
    }
}
