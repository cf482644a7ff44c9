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
    /// The server's end of the protocol; nil once the server's process knows that it is over.
    private(set) var session: ServerSession?
    private unowned let process: ServerProcess
    /// Nil once the client has given the connection up.
    private(set) weak var client: SimulatedClient?
    private let weather: Weather
    private var toClient: Flow<ToClient>!
    private var toServer: Flow<ToServer>!
    private var isClosed = false
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
    }

    /// Begins the server's session.
    func open(in room: any AnyRoom) {
        session = ServerSession(room: room, host: process, link: self)
    }

    /// Whether nothing is under way.
    var isQuiet: Bool { toClient.isEmpty && toServer.isEmpty && session?.hasMessages != true }

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
        process.becameWritable(self)
    }

    // MARK: The server's end

    var isWritable: Bool { process.isAlive && !isClosed && toClient.size < weather.capacity }

    func write(_ messages: [ServerMessage]) {
        for message in messages where process.isAlive {
            toClient.send(.message(message), size: message.frameSize)
        }
    }

    func close(_ code: CloseCode, reason: String) {
        process.flush(self)
        isClosed = true
        // Whatever it was that the session didn't read: now only the end counts.
        toServer.setTaken(true)
        toClient.send(.closed(code), size: 0)
    }

    func setReading(_ reads: Bool) {
        toServer.setTaken(reads)
    }

    /// What tells the server's process of its peers notices that this one is gone.
    func serverNoticesEnd() {
        process.ended(self)
    }

    /// The server's process learns that the connection is over.
    func serverLost() {
        guard let session else { return }
        self.session = nil
        session.disconnected()
    }

    private func deliver(_ event: ToServer) {
        guard process.isAlive else { return }
        switch event {
        case .message(let message): process.received(message, on: self)
        case .closed: process.ended(self)
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
    }
}
