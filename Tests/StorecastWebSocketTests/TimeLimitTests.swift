import TestSupport
import Testing

@testable import StorecastWebSocket

extension SocketTests {
    /// How long peers may take, where several are under way at once.
    @Suite(.timeLimit(.minutes(30))) struct TimeLimitTests {
        @Test func `those who wait in one queue end one after the other, whenever they came`()
            async throws
        {
            let server = try await TestServer()
            let peers = try (0..<4).map { _ in try RawPeer.open(port: server.port) }
            for _ in peers { _ = try await server.events.next() }
            let ends = Mailbox<UInt64>()
            let (queue, ids) = try await server.with { [loop = server.loop] recorder in
                let queue = DeadlineQueue(on: loop.core, delay: .milliseconds(20)) {
                    ends.post($0.id)
                }
                for (place, connection) in recorder.connections.enumerated() {
                    // All come before the first is due, the last two together.
                    loop.schedule(after: .milliseconds([0, 5, 10, 10][place])) {
                        queue.add(connection)
                    }
                }
                return (OnLoop(queue, loop), recorder.connections.map(\.id))
            }
            for id in ids { #expect(try await ends.next() == id) }
            // A queue that has been empty begins anew, and one that is cancelled ends nobody.
            try await server.with { recorder in queue.value.add(recorder.connections[3]) }
            #expect(try await ends.next() == ids[3])
            try await server.with { recorder in
                for connection in recorder.connections { queue.value.add(connection) }
                queue.value.cancel()
                queue.value.add(recorder.connections[1])
            }
            #expect(try await ends.next() == ids[1])
            #expect(ends.pending.isEmpty)
            await server.stop()
        }

        @Test func `whose time began behind another's doesn't wait the whole of it anew`()
            async throws
        {
            let server = try await TestServer()
            let peers = try (0..<2).map { _ in try RawPeer.open(port: server.port) }
            for _ in peers { _ = try await server.events.next() }
            let ends = Mailbox<UInt64>()
            let (queue, ids) = try await server.with { [loop = server.loop] recorder in
                let ids = recorder.connections.map(\.id)
                let queue = DeadlineQueue(on: loop.core, delay: .milliseconds(200)) {
                    ends.post($0.id)
                    // A loop's timers fire in the order of their times, however late.
                    if $0.id == ids[0] {
                        loop.schedule(after: .milliseconds(100)) { ends.post(0) }
                    }
                }
                queue.add(recorder.connections[0])
                let last = recorder.connections[1]
                loop.schedule(after: .milliseconds(10)) { queue.add(last) }
                return (OnLoop(queue, loop), ids)
            }
            for id in ids + [0] { #expect(try await ends.next() == id) }
            withExtendedLifetime((peers, queue)) {}
            await server.stop()
        }

        @Test func `the handshake's limit cuts those who are still at it, and nobody else`()
            async throws
        {
            var behaviour = Behaviour.echo
            behaviour.respond = { _ in HTTPResponse(status: 200, body: PlainRequestTests.body) }
            let server = try await TestServer(
                { $0.handshakeTimeout = .seconds(2) }, behaviour)
            let open = try RawPeer.open(port: server.port)
            let asked = try RawPeer(port: server.port, receiveBuffer: 4096)
            try asked.send(text: "GET / HTTP/1.1\r\nHost: a\r\n\r\n")
            _ = try asked.readHead()
            var late: [RawPeer] = []
            for part in ["", "G", "GET / HTTP/1.1\r\nHost:", String(RawPeer.request().dropLast())] {
                late.append(try RawPeer(port: server.port))
                try late[late.count - 1].send(text: part)
                try await server.settle(for: .milliseconds(5))
            }
            for peer in late { #expect(try peer.readToEnd() == []) }
            // These came before them, so their time would be up too.
            try open.send(head: 0x81, Array("still here".utf8))
            #expect(try open.readFrame()?.payload == Array("still here".utf8))
            #expect(try asked.readToEnd() == PlainRequestTests.body)
            #expect(try await server.events.next() == .opened(path: "/", subprotocol: nil))
            #expect(try await server.events.next() == .received("still here"))
            #expect(server.events.pending.isEmpty)
            await server.stop()
        }

        @Test func `the limits of close frames are counted for each connection`() async throws {
            let server = try await TestServer(
                { $0.closeTimeout = .milliseconds(50) },
                Behaviour(received: { connection, _ in connection.close(code: 4000) }))
            let peers = try (0..<4).map { _ in try RawPeer.open(port: server.port) }
            for _ in peers { _ = try await server.events.next() }
            for peer in peers.dropLast() {
                try peer.send(head: 0x81, [0x61])
                try await server.settle(for: .milliseconds(5))
            }
            // On a slow day the first is closed before the last is heard.
            var events: [TestServer.Event] = []
            for _ in 1...6 { events.append(try await server.events.next()) }
            #expect(events.count { $0 == .received("a") } == 3)
            #expect(events.count { $0 == .closed(4000, "") } == 3)
            try await server.with { #expect($0.connections.count == 1) }
            await server.stop()
        }

        /// What a silent peer's connection is in.
        enum State: CaseIterable {
            case idle, lagging, paused, pausedAndLagging

            var isPaused: Bool { self == .paused || self == .pausedAndLagging }
            var isLagging: Bool { self == .lagging || self == .pausedAndLagging }
        }

        private func open(_ state: State, on server: TestServer) async throws -> RawPeer {
            let peer = try RawPeer.open(port: server.port, receiveBuffer: 16 << 10)
            _ = try await server.events.next()
            try await server.with { recorder in
                let connection = try #require(recorder.connections.last)
                if state.isPaused { connection.pauseReading() }
                if state.isLagging {
                    let text = [UInt8](repeating: 0x7A, count: 8 << 20)
                    connection.write(WebSocketFrameHeader.frame(text: text))
                    #expect(!connection.isWritable)
                }
            }
            return peer
        }

        @Test func `a peer that takes nothing is cut, whatever it sends`() async throws {
            let server = try await TestServer({
                $0.pingInterval = .milliseconds(20)
                $0.deadPeerTimeout = .seconds(3600)
                $0.stallTimeout = .milliseconds(200)
            })
            let peer = try await open(.lagging, on: server)
            let idle = try await open(.idle, on: server)
            var pongs = 0
            while server.events.pending.isEmpty, pongs < 10_000 {
                // A pong that nobody asked for (RFC 6455, section 5.5.3).
                guard (try? peer.send(head: 0x8A, [])) != nil else { break }
                try await server.settle(for: .milliseconds(5))
                pongs += 1
            }
            guard case .closed(1006, let reason) = try await server.events.next() else {
                Issue.record("Not closed with 1006.")
                return
            }
            #expect(reason.contains("took nothing"))
            // Nothing waits for the other one.
            #expect(server.events.pending.isEmpty)
            withExtendedLifetime(idle) {}
            await server.stop()
        }

        @Test func `a ping that comes while a peer takes nothing is answered when it does`()
            async throws
        {
            let server = try await TestServer()
            let peer = try await open(.lagging, on: server)
            try peer.send(head: 0x89, Array("there?".utf8))
            try await server.settle(for: .milliseconds(20))
            #expect(try peer.readFrame()?.payload.count == 8 << 20)
            #expect(
                try peer.readFrame() == RawPeer.Frame(opcode: 0x8A, payload: Array("there?".utf8)))
            await server.stop()
        }

        @Test func `a peer that takes something now and then stays`() async throws {
            try await expectToStay(
                { $0.stallTimeout = .milliseconds(400) }, limit: .milliseconds(400),
                peer: { try await open(.lagging, on: $0) },
                doing: { peer, server in
                    #expect(try peer.drop() > 0)
                    try await server.settle(for: .milliseconds(10))
                })
        }

        @Test func `a peer that answers pings lives on`() async throws {
            try await expectToStay(
                { $0.deadPeerTimeout = .milliseconds(400) }, limit: .milliseconds(400),
                peer: { try await open(.idle, on: $0) },
                doing: { peer, _ in
                    let ping = try #require(try peer.readFrame())
                    try peer.send(head: 0x8A, ping.payload)
                })
        }

        /// Expects that nothing happens to a peer that does its part again and again, for longer
        /// than the limit. A machine that stands still for as long doesn't do it, so the test
        /// begins anew.
        private func expectToStay(
            _ configure: (inout WebSocketServerConfiguration) -> Void, limit: Duration,
            peer open: (TestServer) async throws -> RawPeer,
            doing part: (RawPeer, TestServer) async throws -> Void
        ) async throws {
            for _ in 1...50 {
                let server = try await TestServer({
                    $0.pingInterval = .milliseconds(20)
                    $0.deadPeerTimeout = .seconds(3600)
                    configure(&$0)
                })
                let clock = ContinuousClock()
                let began = clock.now
                var done = began
                var longest = Duration.zero
                var events: [TestServer.Event] = []
                do {
                    let peer = try await open(server)
                    repeat {
                        try await part(peer, server)
                        longest = max(longest, clock.now - done)
                        done = clock.now
                    } while done - began < limit * 1.5 && server.events.pending.isEmpty
                    events = server.events.pending
                    withExtendedLifetime(peer) {}
                } catch  where clock.now - done > limit / 2 {}
                longest = max(longest, clock.now - done)
                await server.stop()
                guard longest < limit / 2 else { continue }
                #expect(events.isEmpty)
                return
            }
            Issue.record("The machine is never at work for so long.")
        }

        @Test(arguments: [
            [0x01, 0x81, 1, 2, 3, 4, 0x61 ^ 1], [0x81, 0x85, 1, 2, 3, 4, 9], [0x81],
        ])
        func `a message that doesn't end is given up, whatever follows its beginning`(
            beginning: [UInt8]
        ) async throws {
            let server = try await TestServer({
                $0.pingInterval = .milliseconds(20)
                $0.deadPeerTimeout = .seconds(3600)
                $0.messageTimeout = .milliseconds(200)
            })
            let peer = try await open(.idle, on: server)
            let idle = try await open(.idle, on: server)
            try peer.send(beginning)
            guard case .closed(1006, let reason) = try await server.events.next() else {
                Issue.record("Not closed with 1006.")
                return
            }
            #expect(reason.contains("took longer"))
            #expect(server.events.pending.isEmpty)
            withExtendedLifetime(idle) {}
            await server.stop()
        }

        @Test func `who has sent a message in pieces has sent all of it`() async throws {
            let server = try await TestServer({
                $0.pingInterval = .milliseconds(20)
                $0.deadPeerTimeout = .seconds(3600)
                $0.messageTimeout = .milliseconds(200)
            })
            let done = try await open(.idle, on: server)
            try done.send(head: 0x01, [0x61])
            try done.send(head: 0x80, [0x62])
            #expect(try await server.events.next() == .received("ab"))
            // One that begins later, and doesn't end, is given up; the other would be before it.
            let late = try await open(.idle, on: server)
            try late.send(head: 0x01, [0x61])
            guard case .closed(1006, _) = try await server.events.next() else {
                Issue.record("Not closed with 1006.")
                return
            }
            try done.send(head: 0x81, [0x63])
            #expect(try await server.events.next() == .received("c"))
            withExtendedLifetime(late) {}
            await server.stop()
        }

        @Test func `of messages that aren't whole so much is held, and the oldest are given up`()
            async throws
        {
            let server = try await TestServer({ $0.unfinishedBytes = 3000 })
            var peers: [RawPeer] = []
            for number in 1...5 {
                let peer = try await open(.idle, on: server)
                peers.append(peer)
                try begin(900, from: peer)
                // The fourth is too many: then an eighth has to be free.
                if number == 4 {
                    for _ in 1...2 {
                        guard case .closed(1006, let reason) = try await server.events.next() else {
                            Issue.record("Not closed with 1006.")
                            return
                        }
                        #expect(reason.contains("aren't whole"))
                    }
                }
            }
            for peer in peers.suffix(3) {
                try peer.send(head: 0x80, [0x62])
                let text = String(repeating: "a", count: 900) + "b"
                #expect(try await server.events.next() == .received(text))
            }
            #expect(server.events.pending.isEmpty)
            await server.stop()
        }

        @Test func `what is held of a message counts until it is whole, or its connection ends`()
            async throws
        {
            let server = try await TestServer({ $0.unfinishedBytes = 3000 })
            var peers: [RawPeer] = []
            for _ in 1...3 { peers.append(try await open(.idle, on: server)) }
            // There is room for one of them at a time.
            func expectRoom(for peer: RawPeer) async throws {
                try begin(2700, from: peer)
                try peer.send(head: 0x80, [])
                let text = String(repeating: "a", count: 2700)
                #expect(try await server.events.next() == .received(text))
            }
            for peer in peers { try await expectRoom(for: peer) }
            let gone = peers.removeLast()
            try begin(2700, from: gone)
            try gone.send(RawPeer.closeFrame(1000))
            #expect(try await server.events.next() == .closed(1000, ""))
            let isForgotten = try await eventually {
                try await server.with { [loop = server.loop] _ in loop.core.sockets.count == 2 }
            }
            #expect(isForgotten)
            for peer in peers { try await expectRoom(for: peer) }
            #expect(server.events.pending.isEmpty)
            withExtendedLifetime(gone) {}
            await server.stop()
        }

        /// Begins a message with so many bytes; the server has them then.
        private func begin(_ count: Int, from peer: RawPeer) throws {
            try peer.send(head: 0x01, Array(repeating: 0x61, count: count))
            try peer.send(head: 0x89, [])
            #expect(try peer.readFrame()?.opcode == 0x8A)
        }

        @Test func `while the server itself doesn't read, no time runs out for the peer`()
            async throws
        {
            let server = try await TestServer()
            let peer = try await open(.idle, on: server)
            try begin(1, from: peer)
            try await server.with { $0.connections[0].pauseReading() }
            try await server.settle(for: .milliseconds(10))
            try await server.with { recorder in
                let connection = recorder.connections[0]
                #expect(Self.lapse(of: connection) == nil)
                // For the message and for a sign of life the time begins anew.
                connection.resumeReading()
                #expect(Self.lapse(of: connection) == nil)
                #expect(connection.lastActivity == connection.core.milliseconds)
            }
            try await server.settle(for: .milliseconds(10))
            try await server.with { recorder in
                #expect(Self.lapse(of: recorder.connections[0]) == .messageTimeout)
            }
            withExtendedLifetime(peer) {}
            await server.stop()
        }

        /// What a connection would be ended for now, if the limits were 10 ms.
        private static func lapse(of connection: WebSocketConnection) -> WebSocketLimit? {
            connection.lapse(stallLimit: 10, messageLimit: 10)?.limit
        }

        @Test func `a silent peer is cut unless it is the server that doesn't read`() async throws {
            let server = try await TestServer({
                $0.pingInterval = .milliseconds(20)
                $0.deadPeerTimeout = .milliseconds(200)
            })
            var peers: [RawPeer] = []
            // The one that stays is first, so that every limit would be up for it too.
            for state in [State.paused, .idle, .lagging, .pausedAndLagging] {
                peers.append(try await open(state, on: server))
            }
            try peers[0].send(head: 0x81, Array("still here".utf8))
            for _ in 1...3 { try await expectSilence(server) }
            peers.append(try await open(.idle, on: server))
            try await expectSilence(server)
            try await server.with { recorder in
                try #require(recorder.connections.count == 1)
                #expect(recorder.connections[0].isWritable)
                recorder.connections[0].resumeReading()
            }
            #expect(try await server.events.next() == .received("still here"))
            // From here on it is a peer like others.
            try await expectSilence(server)
            withExtendedLifetime(peers) {}
            await server.stop()
        }

        private func expectSilence(_ server: TestServer) async throws {
            guard case .closed(1006, let reason) = try await server.events.next() else {
                Issue.record("Not closed with 1006.")
                return
            }
            #expect(reason.hasPrefix("The peer gave no sign of life"))
        }
    }
}

extension TestServer {
    /// Returns when the loop has gone on for so long.
    fileprivate func settle(for time: Duration) async throws {
        let passed = Mailbox<Void>()
        try await with { [loop] _ in _ = loop.schedule(after: time) { passed.post(()) } }
        try await passed.next()
    }
}
