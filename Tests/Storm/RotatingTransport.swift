import StorecastClient
import StorecastMirror
import Synchronization

/// Connects to one of several servers, and each time to another one than before: what a name of
/// several machines does for a client.
final class RotatingTransport: Transport {
    private struct State {
        var place: Int
        var random: SeededGenerator
    }

    private let transport = WebSocketTransport()
    private let servers: [String]
    private let state: Mutex<State>

    /// - Parameters:
    ///   - servers: `ws://HOST:PORT` of each, at least two.
    ///   - number: the client's, which says where it begins.
    init(_ servers: [String], for number: Int) {
        self.servers = servers
        let random = SeededGenerator(seed: UInt64(number))
        state = Mutex(State(place: number % servers.count, random: random))
    }

    var executor: any TransportExecutor { transport.executor }

    /// - Parameter url: the path in it is what counts.
    func connect(
        to url: String, subprotocol: String,
        handler: @escaping @Sendable (TransportEvent) -> Void
    ) -> any TransportConnection {
        let place = state.withLock { state in
            // Any other: if all went to the next, they would be at one server in the end.
            let distance = 1 + state.random.below(servers.count - 1)
            state.place = (state.place + distance) % servers.count
            return state.place
        }
        let path = ServerURL(url)?.path ?? "/"
        return transport.connect(
            to: servers[place] + path, subprotocol: subprotocol, handler: handler)
    }
}
