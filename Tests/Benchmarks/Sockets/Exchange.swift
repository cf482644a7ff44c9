import Glibc
import MeasureSupport
import StorecastServer
import StorecastWire

/// Connections that each send a message, and the next when the answer has come.
///
/// The messages are made before, and of the answers only the frames are counted: so the load is the
/// same whatever the server is. But many actions in a message may be acked in several turns: then
/// the numbers of the acks count.
final class Exchange {
    private let connections: [RawConnection]
    private let answerFrames: Int
    private let actions: Int
    private let message: (_ connection: Int, _ number: Int) -> [UInt8]
    private var prepared: [[[UInt8]]] = []
    private var sent = 0
    /// The last action of each connection that was acked; only with many in a message.
    private var acked: [UInt64]
    private let scratch = UnsafeMutableRawBufferPointer.allocate(byteCount: 64 << 10, alignment: 16)

    /// - Parameters:
    ///   - answerFrames: how many frames answer a message.
    ///   - actions: how many are in a message.
    ///   - message: a connection's message, by the numbers of both, from 0.
    init(
        _ connections: [RawConnection], answerFrames: Int = 1, actions: Int = 1,
        message: @escaping (_ connection: Int, _ number: Int) -> [UInt8]
    ) {
        self.connections = connections
        self.answerFrames = answerFrames
        self.actions = actions
        acked = connections.map { _ in 0 }
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
                let now = try answers(on: index, since: before[index])
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
    /// Reads what has come: how many of the prepared messages are answered.
    private func answers(on index: Int, since before: Int) throws -> Int {
        let connection = connections[index]
        guard actions > 1 else {
            try connection.count(using: scratch)
            return (connection.counter.frames - before) / answerFrames
        }
        repeat {
            switch try connection.nextFrame() {
            case .transaction(_, _, let last?): acked[index] = last
            case .reject(let reject): throw Failure("Rejected: \(reject.title)")
            case .bye(let bye): throw Failure("bye: \(bye.title)")
            default: break
            }
        } while connection.hasMessage
        return Int(acked[index]) / actions - (sent - prepared[index].count)
    }

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
        self.init(clients, answerFrames: selection == nil ? 1 : 2, actions: actions) {
            connection, number in
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
