import StorecastMirror
import StorecastSync
import StorecastWire

/// The client's end of an attempt to connect, and of the connection if it succeeds.
final class SimulatedSocket: TransportConnection {
    private unowned let client: SimulatedClient
    private let attempt: Int
    /// Nil before it is open, and when it is over.
    private(set) var connection: SimulatedConnection?
    private var isOver = false

    init(_ client: SimulatedClient, _ attempt: Int) {
        self.client = client
        self.attempt = attempt
    }

    func open() {
        guard !isOver else { return }
        guard client.isOnline, let new = client.world.connect(client) else {
            return closed(.goingAway, because: "nobody answers")
        }
        connection = new
        client.connector.take(.opened, from: attempt)
    }

    func send(_ text: [UInt8]) {
        if let connection { client.send(text, on: connection) }
    }

    /// The connector closes it. The event of its end follows all the same, later.
    func close(code: UInt16, reason: String) {
        guard !isOver else { return }
        release()
        client.after(client.random.duration(upTo: .milliseconds(50))) { [self] in
            tell(code, "it was closed")
        }
    }

    /// The network or the server has ended it.
    func closed(_ code: CloseCode, because problem: String) {
        guard !isOver else { return }
        release()
        tell(code.rawValue, problem)
    }

    func received(_ message: ServerMessage) {
        message.text.withUnsafeBytes { client.connector.take(.received($0), from: attempt) }
    }

    private func release() {
        isOver = true
        connection.take()?.clientLeft()
    }

    private func tell(_ code: UInt16, _ problem: String) {
        client.connector.take(.closed(code: code, reason: "", problem: problem), from: attempt)
    }
}

/// What the network does to a client.
extension SimulatedClient {
    var connection: SimulatedConnection? { socket?.connection }

    /// The client's end of its connection notices that it is over.
    func disconnect(because reason: String) {
        socket?.closed(CloseCode(rawValue: 1006), because: reason)
    }

    func received(_ message: ServerMessage, on connection: SimulatedConnection) {
        guard connection === self.connection else { return }
        touch()
        world.note(.client, number, message.frameSize) {
            "receives " + String(decoding: message.text, as: UTF8.self)
        }
        socket?.received(message)
    }

    func closed(_ code: CloseCode, on connection: SimulatedConnection) {
        guard connection === self.connection else { return }
        touch()
        socket?.closed(code, because: code.word)
    }

    func send(_ message: [UInt8], on connection: SimulatedConnection) {
        touch()
        world.note(.client, number, message.count) {
            "sends " + String(decoding: message, as: UTF8.self)
        }
        connection.sendToServer(message)
    }
}
