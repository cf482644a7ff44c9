import StorecastMirror
import StorecastSync
import StorecastWire

/// A connection with its two ends, which may learn of its end at different times.
final class SimulatedConnection: ServerLink {
    enum ToClient {
        case message(ServerMessage)
        case closed(CloseCode)
    }

    enum ToServer {
        case message([UInt8])
        case closed
    }

    let number: Int
    var id: UInt64 { UInt64(number) }
    /// The server's end of the protocol; nil once the server's process knows that it is over.
    private(set) var session: ServerSession?
    unowned let process: ServerProcess
    /// Nil once the client has given the connection up.
    private(set) weak var client: SimulatedClient?
    private let weather: Weather
    private var toClient: Flow<ToClient>!
    private var toServer: Flow<ToServer>!
    /// Nil if the loop that holds the connection is the room's.
    private var relay: SimulatedRelay?
    private var isClosed = false
    /// Whether the server's loop that holds it knows that it is over.
    private(set) var isGone = false
    private var isCut = false

    init(
        _ number: Int, from client: SimulatedClient, to process: ServerProcess, in world: World
    ) {
        self.number = number
        self.process = process
        self.client = client
        var random = SeededGenerator(seed: world.scenario.seed, for: .connection, number)
        weather = world.isHealing ? .calm : world.scenario.weather.drawn(&random)
        toClient = Flow(world.time, weather, SeededGenerator(seed: random.next())) {
            [unowned self] in deliver($0)
        }
        toServer = Flow(world.time, weather, SeededGenerator(seed: random.next())) {
            [unowned self] in deliver($0)
        }
        guard world.scenario.loops > 1 else { return }
        random = SeededGenerator(seed: world.scenario.seed, for: .loops, number)
        if random.below(world.scenario.loops) > 0 {
            relay = SimulatedRelay(self, random, in: world)
        }
    }

    /// A loop of the server has accepted it.
    func accepted() {
        if let relay { relay.opened() } else { process.begin(self) }
    }

    /// Begins the server's session.
    func begin(on loop: RoomLoop) {
        session = loop.begin(self, in: ServerProcess.path)
    }

    /// Whether nothing is under way.
    var isQuiet: Bool {
        toClient.isEmpty && toServer.isEmpty && session?.hasMessages != true
            && relay?.isQuiet != false
    }

    /// Whether nothing comes through any more.
    var isOver: Bool { isCut || isClosed || !process.isAlive || session == nil }

    // MARK: The client's end

    func sendToServer(_ message: [UInt8]) {
        toServer.send(.message(message), size: message.count)
    }

    /// The client has given the connection up; what it had said goes on its way.
    func clientLeft() {
        client = nil
        toServer.send(.closed, size: 0)
        toClient.setTaken(true)
    }

    private func deliver(_ event: ToClient) {
        if let client {
            switch event {
            case .message(let message): client.received(message, on: self)
            case .closed(let code): client.closed(code, on: self)
            }
        }
        if let relay { relay.advance() } else { process.becameWritable(self) }
    }

    // MARK: The server's end, on the room's loop

    var isWritable: Bool { process.isAlive && (relay?.isWritable ?? isSocketWritable) }

    func write(_ messages: [ServerMessage]) {
        guard !process.mayCrashNow() else { return }
        process.world.touchServer()
        process.world.touch(self)
        if let relay { relay.write(messages) } else { transmit(messages) }
    }

    func close(_ code: CloseCode, reason: String, behind last: [ServerMessage]) {
        guard let relay else { return closeSocket(code, behind: last) }
        relay.say(.close(code, reason: reason, behind: last))
    }

    func setReading(_ reads: Bool) {
        if let relay { relay.say(.reading(reads)) } else { setSocketReading(reads) }
    }

    // MARK: The server's end, on the loop that holds it

    var isSocketWritable: Bool {
        process.isAlive && !isClosed && toClient.size < weather.capacity
            && relay?.isPinging != true
    }

    func transmit(_ messages: [ServerMessage]) {
        for message in messages where process.isAlive {
            toClient.send(.message(message), size: message.frameSize)
        }
    }

    func closeSocket(_ code: CloseCode, behind last: [ServerMessage]) {
        transmit(last)
        isClosed = true
        // Whatever it was that the session didn't read: now only the end counts.
        toServer.setTaken(true)
        toClient.send(.closed(code), size: 0)
    }

    func setSocketReading(_ reads: Bool) {
        toServer.setTaken(reads)
    }

    /// What tells the server's process of its peers notices that this one is gone.
    func serverNoticesEnd() {
        guard process.isAlive, !isGone else { return }
        isGone = true
        if let relay { relay.closed() } else { process.ended(self) }
    }

    /// The server's process learns that the connection is over.
    func serverLost(_ loop: RoomLoop) {
        guard session != nil else { return }
        session = nil
        loop.end(id)
    }

    private func deliver(_ event: ToServer) {
        guard process.isAlive else { return }
        switch event {
        case .message(let message):
            if let relay { relay.received(message) } else { process.received(message, on: self) }
        case .closed: serverNoticesEnd()
        }
    }

    // MARK: The network

    /// Loses what is under way but for the oldest few messages, and all that follows.
    func cut(keeping count: Int) {
        isCut = true
        toClient.cut(keeping: count)
        toServer.cut(keeping: count)
    }

    func stall(for time: Duration) {
        toClient.hold(for: time)
        toServer.hold(for: time)
    }

    /// The client reads nothing for a while.
    func block(for time: Duration) {
        toClient.hold(for: time)
    }

    func heal() {
        toClient.heal()
        toServer.heal()
        relay?.calm()
    }

    /// What either end sends from now on arrives at once.
    func calm() {
        toClient.calm()
        toServer.calm()
    }
}
