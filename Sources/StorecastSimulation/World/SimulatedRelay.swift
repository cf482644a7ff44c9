import StorecastSync
import StorecastWire

/// The way between the loop of a connection and that of its room: letters that arrive in order and
/// late, and a connection that doesn't always take what the other loop wrote.
final class SimulatedRelay {
    private enum ToSession {
        case opened
        case letter(RelayLetter.ToSession)
    }

    private var near: ConnectionRelay
    private var far = SessionRelay()
    private unowned let connection: SimulatedConnection
    private unowned let world: World
    private var random: SeededGenerator
    private var toSession: Flow<ToSession>!
    private var toConnection: Flow<RelayLetter.ToConnection>!
    /// Whether the connection is in the middle of a ping, of which the other loop knows nothing.
    private(set) var isPinging = false

    init(_ connection: SimulatedConnection, _ random: SeededGenerator, in world: World) {
        self.connection = connection
        self.world = world
        self.random = random
        near = ConnectionRelay(limit: self.random.below(self.random.pick([100, 2000, 1 << 18])))
        let weather = Weather(
            latency: .zero, jitter: world.isHealing ? .zero : world.scenario.letterDelay,
            burst: .zero, capacity: .max)
        toSession = Flow(world.time, weather, SeededGenerator(seed: self.random.next())) {
            [weak self] in self?.hear($0)
        }
        toConnection = Flow(world.time, weather, SeededGenerator(seed: self.random.next())) {
            [weak self] in self?.hear($0)
        }
    }

    var isQuiet: Bool { toSession.isEmpty && toConnection.isEmpty && near.isIdle }

    /// Letters aren't late any more, as many of them may still be exchanged one by one.
    func calm() {
        toSession.calm()
        toConnection.calm()
    }

    // MARK: The connection's loop

    /// The session is to be begun on the other loop.
    func opened() { toSession.send(.opened, size: 0) }

    func received(_ message: [UInt8]) {
        guard !connection.isGone else { return }
        say(.message(message))
        near.relayed(message.count)
        advance()
    }

    /// Nothing is said behind it.
    func closed() { say(.closed) }

    /// Does what there is to do for the connection now.
    func advance() {
        guard connection.process.isAlive, !connection.isGone else { return }
        while let step = near.next(isWritable: connection.isSocketWritable) {
            switch step {
            case .write(let messages): connection.transmit(messages)
            case .read(let reads): connection.setSocketReading(reads)
            case .say(let letter): say(letter)
            case .close(let code, _, let last): connection.closeSocket(code, behind: last)
            }
        }
    }

    private func say(_ letter: RelayLetter.ToSession) {
        toSession.send(.letter(letter), size: 0)
    }

    private func hear(_ letter: RelayLetter.ToConnection) {
        if case .write = letter, !world.isHealing, random.happens(oneIn: 8) { ping() }
        near.take(letter)
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

    func say(_ letter: RelayLetter.ToConnection) { toConnection.send(letter, size: 0) }

    private func hear(_ event: ToSession) {
        let process = connection.process
        guard process.isAlive else { return }
        switch event {
        case .opened: process.begin(connection)
        case .letter(.message(let message)):
            process.received(message, on: connection)
            say(.taken(message.count))
        case .letter(.writable):
            far.becameWritable()
            process.becameWritable(connection)
        case .letter(.closed): process.ended(connection)
        }
    }
}
