#if os(Linux)
    import StorecastServer
    import StorecastWebSocket
    import TestSupport
    import Testing

    @testable import StorecastClient

    @Suite(.timeLimit(.minutes(30)), .fewAtATime)
    struct WebSocketTransportTests {
        private static let hello =
            #"{"op":"hello","proto":1,"client":"\#(String.ada)","settled":0}"#
        /// More than a connection keeps for the network.
        private static let tooMuch = [UInt8](repeating: 0x78, count: 16 << 20)

        private let loop: EventLoop
        private let server: SyncServer
        private let url: String
        private let hellos: AsyncStream<Void>

        init() async throws {
            let (hellos, hello) = AsyncStream<Void>.makeStream()
            self.hellos = hellos
            loop = try EventLoop(name: "test client")
            server = SyncServer(port: 0) { _ in
                Shelf.room()
            } authenticate: { _ in
                hello.yield()
                hello.finish()
                return .anonymous
            }
            url = try await server.start()
        }

        private func stop() async {
            await server.stop()
            await loop.shutDown()
        }

        @Test func `what can't be queued ends the connection once, behind what was queued`()
            async throws
        {
            let caller = Caller(loop)
            let events = await caller.call(
                url, texts: [Array(Self.hello.utf8), Self.tooMuch, Self.tooMuch, [0x78]])
            let heard = try await events.collected()
            #expect(heard.first == "opened")
            #expect(heard.last == "closed 1001")
            #expect(heard.count { $0.hasPrefix("closed") } == 1)
            #expect(try await hellos.collected().count == 1)
            await stop()
        }

        @Test func `what is sent before a connection is open, or after its end, does nothing`()
            async throws
        {
            let caller = Caller(loop)
            let events = await caller.call(url, texts: [], early: [Self.tooMuch, [0x78]])
            await caller.close(4000)
            let heard = try await events.collected()
            // The server may have taken it already.
            #expect(["closed 1006", "closed 4000"].contains(heard.last))
            await caller.send(Self.tooMuch)
            await caller.close(4001)
            await stop()
        }

        @Test func `nobody there is the end, with a reason`() async throws {
            await server.stop()
            let events = await Caller(loop).call(url, texts: [])
            #expect(try await events.collected() == ["closed 1006"])
            await loop.shutDown()
        }

        @Test func `a server is trusted whose certificate leads to the root that is given`()
            async throws
        {
            let (certificates, others) = (try TestCertificates(), try TestCertificates())
            let encrypted = SyncServer(
                port: 0,
                certificate: try TLSCertificate(
                    file: certificates.certificate, keyFile: certificates.key),
                rooms: { _ in Shelf.room() })
            let encryptedURL = try await encrypted.start()
            let caller = Caller(loop)
            let events = await caller.call(encryptedURL, texts: [], trusting: certificates.root)
            let first = await events.limited.first { _ in true }
            #expect(first == "opened")
            await caller.close(1000)
            // The system knows neither root.
            for root in [others.root, nil] {
                let events = await Caller(loop).call(encryptedURL, texts: [], trusting: root)
                #expect(try await events.collected() == ["closed 1006"])
            }
            await encrypted.stop()
            await stop()
        }

        @Test func `large actions that are dispatched together all reach the server`() async throws
        {
            let connection = RemoteConnection(
                url, transport: WebSocketTransport(on: loop), random: SystemRandomNumberGenerator())
            let titles = (0..<8).map { String(repeating: "\($0)", count: 100_000) }
            let dispatches = titles.map { connection.dispatch(PutBook(title: $0)) }
            let versions = try await inTime("An action is lost.") {
                var versions: [UInt64] = []
                for dispatch in dispatches { versions.append(try await dispatch.outcome.version) }
                return versions
            }
            #expect(versions.last == 8)
            connection.close()
            await stop()
        }
    }

    /// Uses a transport on its loop.
    private actor Caller {
        private nonisolated let loop: EventLoop
        private var connection: (any TransportConnection)?

        nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

        init(_ loop: EventLoop) {
            self.loop = loop
        }

        /// Connects, and sends `texts` as soon as the connection is open, all in one turn.
        ///
        /// - Parameter early: what is sent before that.
        func call(
            _ url: String, texts: [[UInt8]], early: [[UInt8]] = [], trusting root: String? = nil
        ) -> AsyncStream<String> {
            let (events, heard) = AsyncStream<String>.makeStream()
            connection = WebSocketTransport(on: loop, trusting: root).connect(
                to: url, subprotocol: ProtocolVersion.subprotocol
            ) { event in
                switch event {
                case .opened:
                    heard.yield("opened")
                    self.assumeIsolated { caller in
                        for text in texts { caller.send(text) }
                    }
                case .received: heard.yield("received")
                case .closed(let code, _, _):
                    heard.yield("closed \(code)")
                    heard.finish()
                }
            }
            for text in early { send(text) }
            return events
        }

        func send(_ text: [UInt8]) { connection?.send(text) }

        func close(_ code: UInt16) { connection?.close(code: code, reason: "") }
    }
#endif
