import Glibc
import StorecastWire

/// Dispatches actions over raw sockets, each connection with at most `inFlight` without an
/// outcome, and waits for the outcomes.
package final class RawDispatcher {
    private struct Client {
        let connection: RawConnection
        var sent: UInt64 = 0
        var acked: UInt64 = 0
    }

    private var clients: [Client] = []
    private let type: String
    private let payload: [UInt8]
    private let inFlight: UInt64

    /// - Parameter firstNumber: the client ids count up from here.
    package init(
        port: Int, connections: Int, firstNumber: Int, type: String, payload: [UInt8],
        inFlight: Int
    ) throws {
        self.type = type
        self.payload = payload
        self.inFlight = UInt64(inFlight)
        for index in 0..<connections {
            let connection = try RawConnection(port: port)
            try connection.greet(firstNumber + index)
            clients.append(Client(connection: connection))
        }
    }

    /// Dispatches `count` actions on every connection; returns when all are acked.
    package func dispatch(_ count: Int) throws {
        let goals = clients.map { $0.sent + UInt64(count) }
        for index in clients.indices { try send(index, upTo: goals[index]) }
        var waiting = clients.map {
            pollfd(fd: $0.connection.descriptor, events: Int16(POLLIN), revents: 0)
        }
        var open = clients.count
        while open > 0 {
            guard poll(&waiting, nfds_t(waiting.count), 20_000) > 0 else {
                throw Failure("The server doesn't answer.")
            }
            for index in clients.indices where waiting[index].revents != 0 {
                try receive(index)
                try send(index, upTo: goals[index])
                guard clients[index].acked == goals[index] else { continue }
                waiting[index].fd = -1
                waiting[index].revents = 0
                open -= 1
            }
        }
    }

    private func send(_ index: Int, upTo goal: UInt64) throws {
        let client = clients[index]
        let last = min(goal, client.acked + inFlight)
        // Half a window at a time: so it is pipelined, but not one frame in each write.
        guard last - client.sent >= min(inFlight / 2, goal - client.sent), last > client.sent
        else { return }
        var bytes: [UInt8] = []
        for seq in (client.sent + 1)...last {
            bytes += RawConnection.frame {
                $0.writeDispatch(
                    seq: seq, base: client.acked, settled: client.acked, type: type,
                    payload: payload)
            }
        }
        clients[index].sent = last
        try client.connection.send(bytes)
    }

    private func receive(_ index: Int) throws {
        repeat {
            switch try clients[index].connection.nextFrame() {
            case .transaction(_, _, let acked): clients[index].acked = acked ?? 0
            case .reject(let reject): throw Failure("Rejected: \(reject.title)")
            case .bye(let bye): throw Failure("bye: \(bye.title)")
            default: break
            }
        } while clients[index].connection.hasMessage
    }
}
