import StorecastMirror
import StorecastRoom
import StorecastWire

/// A connection with its two ends, which may notice at different times that it is over.
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
    /// The server's session; nil once the process knows that the connection is over.
    private(set) var session: ServerSession?
    /// The loop of the session.
    private weak var loop: SimulatedLoop?
    unowned let process: ServerProcess
    /// Nil once the client has closed the connection.
    private(set) weak var client: SimulatedClient?
    private let conditions: NetworkConditions
    private var toClient: Flow<ToClient>!
    private var toServer: Flow<ToServer>!
    /// Nil if the connection is on the room's own loop.
    private var relay: SimulatedRelay?
    private var isClosed = false
    /// Whether its loop on the server knows that it is over.
    private(set) var isGone = false
    private var isCut = false

    init(
        _ number: Int, from client: SimulatedClient, to process: ServerProcess, in world: World
    ) {
        self.number = number
        self.process = process
        self.client = client
        var random = SeededGenerator(seed: world.scenario.seed, for: .connection, number)
        conditions = world.isHealing ? .perfect : world.scenario.conditions.drawn(&random)
        toClient = Flow(world.time, conditions, SeededGenerator(seed: random.next())) {
            [unowned self] in deliver($0)
        }
        toServer = Flow(world.time, conditions, SeededGenerator(seed: random.next())) {
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
        if let relay { relay.opened() } else { process.whenRunning { self.process.begin(self) } }
    }

    /// Begins the server's session.
    func begin(on loop: SimulatedLoop) {
        self.loop = loop
        session = loop.rooms.begin(self, in: ServerProcess.path)
    }

    /// Whether nothing is under way.
    var isQuiet: Bool {
        toClient.isEmpty && toServer.isEmpty && session?.hasMessages != true
            && session?.hasParts != true && relay?.isQuiet != false
    }

    /// Whether no more messages get through.
    var isOver: Bool { isCut || isClosed || !process.isAlive || session == nil }

    // MARK: The client's end

    func sendToServer(_ message: [UInt8]) {
        toServer.send(.message(message), size: message.count)
    }

    /// The client has closed the connection; what it sent before still arrives.
    func clientLeft() {
        client = nil
        toServer.send(.closed, size: 0)
        toClient.setReading(true)
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
        guard !process.crashesNow() else { return }
        process.world.touchServer()
        process.world.touch(self)
        if let relay { relay.write(messages) } else { transmit(messages) }
    }

    func close(_ code: CloseCode, reason: String, behind last: [ServerMessage]) {
        guard let relay else { return closeSocket(code, behind: last) }
        relay.send(.close(code, reason: reason, behind: last))
    }

    func setReading(_ reads: Bool) {
        if let relay { relay.send(.reading(reads)) } else { setSocketReading(reads) }
    }

    // MARK: The server's end, on the connection's loop

    var isSocketWritable: Bool {
        process.isAlive && !isClosed && toClient.size < conditions.capacity
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
        // Even if the session doesn't read: the end of the connection must arrive.
        toServer.setReading(true)
        toClient.send(.closed(code), size: 0)
    }

    func setSocketReading(_ reads: Bool) {
        toServer.setReading(reads)
    }

    /// The server's system notices that the peer is gone.
    func serverNoticesEnd() {
        guard process.isAlive, !isGone else { return }
        isGone = true
        if let relay { relay.closed() } else { process.ended(self) }
    }

    /// Ends the server's session.
    func serverLost() {
        guard let session = session.take() else { return }
        loop?.ended(session)
        loop?.rooms.end(id)
    }

    private func deliver(_ event: ToServer) {
        process.whenRunning { [self] in
            switch event {
            case .message(let message):
                if let relay {
                    relay.received(message)
                } else {
                    process.received(message, on: self)
                }
            case .closed: serverNoticesEnd()
            }
        }
    }

    // MARK: The network

    /// Loses what is under way except for the oldest `count` messages, and all that follows.
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
        relay?.removeDelays()
    }

    /// What either end sends from now on arrives without delay.
    func removeDelays() {
        toClient.removeDelays()
        toServer.removeDelays()
    }
}
