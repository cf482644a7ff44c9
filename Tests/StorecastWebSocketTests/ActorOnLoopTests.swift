import StorecastWebSocket
import Testing

extension SocketTests {
    /// An actor on a loop's executor that serves connections.
    @Suite(.timeLimit(.minutes(30))) struct ActorOnLoopTests {
        @Test func `a delegate's callback enters an actor without a hop`() async throws {
            let loop = try EventLoop()
            let room = EchoRoom(loop)
            let port = try await room.listen()
            let peer = try RawPeer.open(port: port)
            try peer.send(head: 0x81, Array("hello".utf8))
            #expect(try peer.readFrame() == .init(opcode: 0x81, payload: Array("1 hello".utf8)))
            try peer.send(head: 0x81, Array("again".utf8))
            #expect(try peer.readFrame() == .init(opcode: 0x81, payload: Array("2 again".utf8)))
            #expect(await room.count == 2)
            await loop.shutDown()
        }
    }
}

private actor EchoRoom {
    private(set) var count = 0
    private let loop: EventLoop
    private var server: WebSocketServer?
    private var door: Door?
    private var connections: [WebSocketConnection] = []

    init(_ loop: EventLoop) { self.loop = loop }

    nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

    func listen() throws -> Int {
        let door = Door(self)
        let server = try WebSocketServer(
            on: loop, configuration: WebSocketServerConfiguration(), delegate: door)
        (self.door, self.server) = (door, server)
        return server.port
    }

    func answer(_ text: UnsafeRawBufferPointer) -> [UInt8] {
        count += 1
        return WebSocketFrameHeader.frame(text: Array("\(count) ".utf8) + Array(text))
    }

    /// Not isolated, since C calls it; on the loop's thread, so that the actor can be entered.
    final class Door: WebSocketServerDelegate {
        private unowned let room: EchoRoom

        init(_ room: EchoRoom) { self.room = room }

        func received(_ connection: WebSocketConnection, text: UnsafeRawBufferPointer) {
            // The compiler can't see that the callback and the actor are one isolation domain;
            // `assumeIsolated` checks it.
            nonisolated(unsafe) let text = text
            connection.write(room.assumeIsolated { $0.answer(text) })
        }

        func accept(_ request: UpgradeRequest) -> UpgradeDecision { .accept(subprotocol: nil) }
        func opened(_ connection: WebSocketConnection, _ request: UpgradeRequest) {
            nonisolated(unsafe) let connection = connection
            room.assumeIsolated { $0.connections.append(connection) }
        }
        func writable(_ connection: WebSocketConnection) {}
        func closed(_ connection: WebSocketConnection, code: UInt16, reason: String) {}
    }
}

extension Actor {
    /// Enters an actor that runs on an event loop from one of the loop's callbacks, without a hop,
    /// with something that isn't `Sendable` and belongs to the loop (a connection, bytes).
    ///
    /// Stops the process if the caller isn't on the actor's executor.
    fileprivate nonisolated func enter<Argument, Value: Sendable>(
        with argument: Argument, _ body: @Sendable (isolated Self, Argument) throws -> Value
    ) rethrows -> Value {
        // The compiler can't see that the callback and the actor are one isolation domain;
        // `assumeIsolated` checks it, so nothing crosses from one domain to another.
        nonisolated(unsafe) let argument = argument
        return try assumeIsolated { actor in try body(actor, argument) }
    }
}
