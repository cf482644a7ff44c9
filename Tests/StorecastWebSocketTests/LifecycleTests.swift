import StorecastWebSocket
import Testing

#if os(Linux)
    import Glibc
#endif

extension SocketTests {
    /// Beginnings and ends, many times over, and in awkward moments.
    @Suite(.timeLimit(.minutes(30))) struct LifecycleTests {
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

        /// What a connection does with what its peer sends, when it is closed.
        enum Reading: CaseIterable {
            case on, paused, lagging, pausedAndLagging
            /// Closed by whoever hears of a message, with more of them read already.
            case midway, midwayAndPaused
            /// Paused by whoever hears of a message, and closed later.
            case pausedMidway

            var isPaused: Bool { self == .paused || self == .pausedAndLagging }
            var isLagging: Bool { self == .lagging || self == .pausedAndLagging }
            var pausesMidway: Bool { self == .midwayAndPaused || self == .pausedMidway }
            var closesMidway: Bool { self == .midwayAndPaused || self == .midway }

            /// What is received of three messages.
            var received: [String] {
                if isPaused { return [] }
                return pausesMidway || closesMidway ? ["a"] : ["a", "b", "c"]
            }
        }

        @Test(arguments: Reading.allCases)
        func `a connection is closed as soon as the peer answers, whatever becomes of its messages`(
            _ reading: Reading
        ) async throws {
            let server = try await TestServer(
                { $0.closeTimeout = .seconds(600) },
                Behaviour(received: { connection, _ in
                    if reading.pausesMidway { connection.pauseReading() }
                    if reading.closesMidway { connection.close(code: 4100) }
                }))
            let peer = try RawPeer.open(port: server.port, receiveBuffer: 16 << 10)
            _ = try await server.events.next()
            try await server.with { recorder in
                let connection = recorder.connections[0]
                if reading.isPaused { connection.pauseReading() }
                guard reading.isLagging else { return }
                let text = [UInt8](repeating: 0x61, count: 8 << 20)
                connection.write(WebSocketFrameHeader.frame(text: text))
                #expect(!connection.isWritable)
            }
            try peer.send("abc".utf8.flatMap { RawPeer.frame(head: 0x81, [$0]) })
            for text in reading.received {
                #expect(try await server.events.next() == .received(text))
            }
            if !reading.closesMidway {
                try await server.with { $0.connections[0].close(code: 4100) }
            }
            if reading.isLagging { #expect(try peer.readFrame()?.opcode == 0x81) }
            #expect(try peer.readFrame() == .init(opcode: 0x88, payload: [0x10, 0x04]))
            try peer.send(RawPeer.closeFrame(4100))
            #expect(try await server.events.next() == .closed(4100, ""))
            #expect(server.events.pending.isEmpty)
            await server.stop()
        }

        @Test func `whoever came while there were no descriptors is taken when there are some`()
            async
        {
            await #expect(processExitsWith: .success) {
                var limit = rlimit()
                getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
                limit.rlim_cur = min(limit.rlim_cur, 256)
                setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
                let server = try await TestServer(.echo)
                var peers = [try RawPeer.open(port: server.port)]
                for _ in 1...2 {
                    var last: [Int32] = []
                    while case let descriptor = open("/dev/null", O_RDONLY), descriptor >= 0 {
                        last.append(descriptor)
                    }
                    try #require(errno == EMFILE)
                    // The peer takes it, so that the server has none.
                    close(last.removeLast())
                    let peer = try RawPeer(port: server.port)
                    try peer.send(text: RawPeer.request())
                    // The loop has seen that somebody is there.
                    for _ in 1...2 { try await server.with { _ in } }
                    #expect(try await server.with { $0.connections.count } == peers.count)
                    for descriptor in last { close(descriptor) }
                    #expect(try peer.readHead().hasPrefix("HTTP/1.1 101 "))
                    peers.append(peer)
                }
                for peer in peers {
                    try peer.send(head: 0x81, [0x61])
                    #expect(try peer.readFrame()?.payload == [0x61])
                }
                await server.stop()
            }
        }

        @Test func `no more are let in than there are descriptors for`() async {
            await #expect(processExitsWith: .success) {
                let descriptors = WebSocketLibraries.descriptors(connections: 3)
                #expect(WebSocketLibraries.connections(descriptors: descriptors) == 3)
                var limit = rlimit(
                    rlim_cur: rlim_t(descriptors), rlim_max: rlim_t(descriptors))
                setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
                let server = try await TestServer(.echo)
                // Peers have descriptors of this process too: one each.
                let peers = try (1...3).map { _ in try RawPeer.open(port: server.port) }
                #expect(try RawPeer.status(port: server.port) == "503")
                withExtendedLifetime(peers) {}
                await server.stop()
            }
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

/// How many descriptors this process has open, or how many of them are sockets.
func openDescriptors(onlySockets: Bool = false) -> Int {
    guard let folder = opendir("/proc/self/fd") else { return 0 }
    defer { closedir(folder) }
    var count = 0
    while let entry = readdir(folder) {
        if onlySockets {
            let name = withUnsafePointer(to: &entry.pointee.d_name) {
                $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
            }
            var status = stat()
            guard let descriptor = Int32(name), fstat(descriptor, &status) == 0,
                status.st_mode & S_IFMT == S_IFSOCK
            else { continue }
        }
        count += 1
    }
    return count
}
