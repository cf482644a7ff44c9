import StorecastWebSocket
import Testing

#if os(Linux)
    import Glibc
#endif

extension SocketTests {
    /// Beginnings and ends, many times over, and in awkward moments.
    @Suite(.timeLimit(.minutes(1))) struct LifecycleTests {
        @Test func `a hundred servers in a row leave no descriptors behind`() async {
            await #expect(processExitsWith: .success) {
                var before = 0
                for round in 0..<100 {
                    let server = try await TestServer(.echo)
                    let peer = try RawPeer.open(port: server.port)
                    try peer.send(head: 0x81, [0x61])
                    _ = try peer.readFrame()
                    let client = try await TestClient(
                        WebSocketClientConfiguration(host: "127.0.0.1", port: server.port))
                    _ = try await client.events.next()
                    if round % 2 == 0 { try await client.with { $0.close() } }
                    await client.loop.shutDown()
                    await server.stop()
                    if round == 5 { before = openDescriptors() }
                }
                #expect(before > 0)
                // The last peer's descriptor may or may not be closed yet at each count.
                #expect(abs(openDescriptors() - before) <= 1)
            }
        }

        @Test func `many loops begin and end at the same time`() async throws {
            try await withThrowingTaskGroup { group in
                for _ in 0..<16 {
                    group.addTask {
                        for _ in 0..<5 {
                            let server = try await TestServer(.echo)
                            let client = try await TestClient(
                                WebSocketClientConfiguration(host: "127.0.0.1", port: server.port))
                            #expect(try await client.events.next() == .connected(nil))
                            try await client.send("hello")
                            #expect(try await client.events.next() == .received("hello"))
                            await server.stop()
                            await client.loop.shutDown()
                        }
                    }
                }
                try await group.waitForAll()
            }
        }

        @Test func `a delegate may close in opened, and the peer sees it`() async throws {
            let server = try await TestServer(
                Behaviour(opened: { connection in
                    connection.send(text: UnsafeRawBufferPointer(start: nil, count: 0))
                    connection.close(code: 4100)
                }))
            let peer = try RawPeer.open(port: server.port)
            #expect(try peer.readFrame() == .init(opcode: 0x81, payload: []))
            #expect(try peer.readFrame() == .init(opcode: 0x88, payload: [0x10, 0x04]))
            try peer.send(RawPeer.closeFrame(4100))
            _ = try await server.events.next()
            #expect(try await server.events.next() == .closed(4100, ""))
            await server.stop()
        }

        @Test func `a delegate may close all connections while one speaks`() async throws {
            let all = Shared<[OnLoop<WebSocketConnection>]>([])
            let loop = try EventLoop()
            let server = try await TestServer(
                { _ in }, on: loop,
                Behaviour(
                    opened: { connection in
                        let connection = OnLoop(connection, loop)
                        all.change { $0.append(connection) }
                    },
                    received: { _, _ in
                        for connection in all.value { connection.value.close(code: 4100) }
                    }))
            let peers = try (0..<5).map { _ in try RawPeer.open(port: server.port) }
            for _ in peers { _ = try await server.events.next() }
            try peers[2].send(
                RawPeer.frame(head: 0x81, [0x61]) + RawPeer.frame(head: 0x81, [0x62])
                    + RawPeer.closeFrame(4100))
            #expect(try await server.events.next() == .received("a"))
            for peer in peers { #expect(try peer.readFrame()?.payload == [0x10, 0x04]) }
            for (index, peer) in peers.enumerated() where index != 2 {
                try peer.send(RawPeer.closeFrame(4100))
            }
            for _ in peers { #expect(try await server.events.next() == .closed(4100, "")) }
            await server.stop()
            #expect(server.events.pending.isEmpty)
        }

        @Test func `a loop that shuts down with handshakes and full sockets ends cleanly`()
            async throws
        {
            let server = try await TestServer(
                Behaviour(opened: { connection in
                    let text = [UInt8](repeating: 0x61, count: 8 << 20)
                    connection.write(WebSocketFrameHeader.frame(text: text))
                }))
            let half = try RawPeer(port: server.port)
            try half.send(text: "GET / HTTP/1.1\r\n")
            let full = try RawPeer.open(port: server.port, receiveBuffer: 16 << 10)
            _ = try await server.events.next()
            await server.stop()
            #expect(try await server.events.next() == .closed(1001, "The event loop stops."))
            #expect(server.events.pending.isEmpty)
            _ = (half, full)
        }

        @Test func `a connection that is used after its end does nothing`() async throws {
            let server = try await TestServer()
            let peer = try RawPeer.open(port: server.port)
            _ = try await server.events.next()
            let kept = try await server.with { [loop = server.loop] recorder in
                recorder.connections[0].context = recorder
                return OnLoop(recorder.connections[0], loop)
            }
            try peer.send(RawPeer.closeFrame(1000))
            #expect(try await server.events.next() == .closed(1000, ""))
            try await server.with { _ in
                #expect(!kept.value.isWritable)
                #expect(kept.value.context == nil)
                #expect(!kept.value.write([0x81, 0x00]))
                kept.value.close(code: 1000)
                kept.value.pauseReading()
                kept.value.resumeReading()
            }
            await server.stop()
            #expect(server.events.pending.isEmpty)
        }
    }
}

/// How many descriptors this process has open.
private func openDescriptors() -> Int {
    guard let folder = opendir("/proc/self/fd") else { return 0 }
    defer { closedir(folder) }
    var count = 0
    while readdir(folder) != nil { count += 1 }
    return count
}
