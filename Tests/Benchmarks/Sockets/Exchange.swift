import Glibc
import MeasureSupport
import StorecastServer
import StorecastWire

/// Connections that each send a message, and the next when the answer has come.
///
/// The messages are made before, and of the answers only the frames are counted: so the load is the
/// same whatever the server is.
final class Exchange {
    private let connections: [RawConnection]
    private let answerFrames: Int
    private let message: (_ connection: Int, _ number: Int) -> [UInt8]
    private var prepared: [[[UInt8]]] = []
    private var sent = 0
    private let scratch = UnsafeMutableRawBufferPointer.allocate(byteCount: 64 << 10, alignment: 16)

    /// - Parameters:
    ///   - answerFrames: how many frames answer a message.
    ///   - message: a connection's message, by the numbers of both, from 0.
    init(
        _ connections: [RawConnection], answerFrames: Int = 1,
        message: @escaping (_ connection: Int, _ number: Int) -> [UInt8]
    ) {
        self.connections = connections
        self.answerFrames = answerFrames
        self.message = message
    }

    deinit { scratch.deallocate() }

    /// Makes so many messages for each connection.
    func prepare(_ count: Int) throws {
        for connection in connections { try connection.showLife() }
        prepared = connections.indices.map { connection in
            (sent..<(sent + count)).map { message(connection, $0) }
        }
        sent += count
    }

    /// Sends what was prepared; returns when all is answered.
    func run() throws {
        let before = connections.map { $0.counter.frames }
        var answered = [Int](repeating: 0, count: connections.count)
        var waiting = connections.map {
            pollfd(fd: $0.descriptor, events: Int16(POLLIN), revents: 0)
        }
        for (index, connection) in connections.enumerated() {
            try connection.send(prepared[index][0])
        }
        var open = connections.count
        while open > 0 {
            guard poll(&waiting, nfds_t(waiting.count), 20_000) > 0 else {
                throw Failure("The server doesn't answer.")
            }
            for (index, connection) in connections.enumerated() where waiting[index].revents != 0 {
                try connection.count(using: scratch)
                let now = (connection.counter.frames - before[index]) / answerFrames
                guard now > answered[index] else { continue }
                answered[index] = now
                if now < prepared[index].count {
                    try connection.send(prepared[index][now])
                } else {
                    waiting[index].fd = -1
                    waiting[index].revents = 0
                    open -= 1
                }
            }
        }
    }
}

extension Exchange {
    /// Clients of a room who dispatch.
    ///
    /// - Parameters:
    ///   - actions: how many are in a message.
    ///   - selection: what each client mirrors, and each message changes.
    ///   - payload: an action's, by the connection's number and the action's, from 0.
    convenience init(
        with server: ChildProcess, connections: Int = 1, actions: Int = 1,
        mirroring selection: (name: String, params: JSON?)? = nil, _ type: String,
        payload: @escaping (_ connection: Int, _ action: Int) -> String
    ) throws {
        let clients = try (0..<connections).map { number in
            let client = try RawConnection(port: server.port)
            try client.greet(number + 1)
            if let selection { try client.subscribe(selection.name, params: selection.params) }
            return client
        }
        // The ack, and the patch.
        self.init(clients, answerFrames: selection == nil ? 1 : 2) { connection, number in
            Self.message(number: number, actions: actions, type) { payload(connection, $0) }
        }
    }

    /// A client's message `number` of those that each dispatch so many actions.
    static func message(
        number: Int, actions: Int, _ type: String, payload: (_ action: Int) -> String
    ) -> [UInt8] {
        RawConnection.frame { writer in
            let settled = number * actions
            if actions > 1 { writer.beginArray() }
            for action in settled..<(settled + actions) {
                writer.writeDispatch(
                    seq: UInt64(action + 1), base: 0, settled: UInt64(settled), type: type,
                    payload: Array(payload(action).utf8))
            }
            if actions > 1 { writer.endArray() }
        }
    }
}
