import StorecastRoom
import StorecastWire

/// The messages between the loop of a connection and that of its room, which arrive in order and
/// late, and a connection that sometimes isn't writable when the other loop writes.
final class SimulatedRelay {
    private enum ToSession {
        case opened
        case relayed(RelayMessage.ToSession)
    }

    private var near: ConnectionRelay
    private var far = SessionRelay()
    private unowned let connection: SimulatedConnection
    private unowned let world: World
    private var random: SeededGenerator
    private var toSession: Flow<ToSession>!
    private var toConnection: Flow<RelayMessage.ToConnection>!
    /// Whether the connection is sending a ping, of which the other loop knows nothing.
    private(set) var isPinging = false

    init(_ connection: SimulatedConnection, _ random: SeededGenerator, in world: World) {
        self.connection = connection
        self.world = world
        self.random = random
        near = ConnectionRelay(limit: self.random.below(self.random.pick([100, 2000, 1 << 18])))
        let conditions = NetworkConditions(
            latency: .zero, jitter: world.isHealing ? .zero : world.scenario.relayDelay,
            burst: .zero, capacity: .max)
        toSession = Flow(world.time, conditions, SeededGenerator(seed: self.random.next())) {
            [weak self] in self?.receive($0)
        }
        toConnection = Flow(world.time, conditions, SeededGenerator(seed: self.random.next())) {
            [weak self] in self?.receive($0)
        }
    }

    var isQuiet: Bool { toSession.isEmpty && toConnection.isEmpty && near.isIdle }

    /// Messages aren't delayed any more, as many may still have to be exchanged one by one.
    func removeDelays() {
        toSession.removeDelays()
        toConnection.removeDelays()
    }

    // MARK: The connection's loop

    /// Has the other loop begin a session.
    func opened() { toSession.send(.opened, size: 0) }

    func received(_ message: [UInt8]) {
        guard !connection.isGone else { return }
        send(.message(message))
        near.relayed(message.count)
        advance()
    }

    /// The last message to the other loop.
    func closed() { send(.closed(1006, "")) }

    /// Does what is to be done for the connection now.
    func advance() {
        guard connection.process.isAlive, !connection.isGone else { return }
        while let step = near.next(isWritable: connection.isSocketWritable) {
            switch step {
            case .write(let messages): connection.transmit(messages)
            case .read(let reads): connection.setSocketReading(reads)
            case .say(let message): send(message)
            case .close(let code, _, let last): connection.closeSocket(code, behind: last)
            }
        }
    }

    private func send(_ message: RelayMessage.ToSession) {
        toSession.send(.relayed(message), size: 0)
    }

    private func receive(_ message: RelayMessage.ToConnection) {
        if case .write = message, !world.isHealing, random.happens(oneIn: 8) { ping() }
        near.take(message)
        advance()
    }

    private func ping() {
        isPinging = true
        connection.process.after(random.duration(upTo: .milliseconds(50))) { [weak self] in
            self?.isPinging = false
            self?.advance()
        }
    }

    // MARK: The room's loop

    var isWritable: Bool { far.isWritable }

    func write(_ messages: [ServerMessage]) { toConnection.send(far.write(messages), size: 0) }

    func send(_ message: RelayMessage.ToConnection) { toConnection.send(message, size: 0) }

    private func receive(_ event: ToSession) {
        let process = connection.process
        guard process.isAlive else { return }
        switch event {
        case .opened: process.begin(connection)
        case .relayed(.message(let message)):
            process.received(message, on: connection)
            send(.taken(message.count))
        // Links carry whole messages, and nothing else.
        case .relayed(.oddments): break
        case .relayed(.writable):
            far.becameWritable()
            process.becameWritable(connection)
        case .relayed(.closed): process.ended(connection)
        }
    }
}
