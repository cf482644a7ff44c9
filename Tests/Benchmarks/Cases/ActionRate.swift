import MeasureSupport
import Storecast
import StorecastClient
import StorecastServer

/// Small actions, pipelined, each acked, with a mirror that follows.
enum ActionRate: Benchmark {
    static let name = "actions"
    static let summary = "Small actions through one room, each acked, one mirror following"

    static func run(_ scale: Scale, _ table: inout Table) async throws {
        let count = scale.pick(4_000, 50_000)
        for connections in [1, 100] {
            try await measureSwiftClients(connections, count, scale, &table)
        }
        for connections in [1, 100] {
            try await measureRawSockets(connections, count, scale, &table)
        }
        table.note(
            "`server` is the processor time of the server's process, `client` that of the process "
                + "with all clients and the mirror.")
    }

    /// Through `RemoteConnection`, awaiting every outcome.
    private static func measureSwiftClients(
        _ connections: Int, _ count: Int, _ scale: Scale, _ table: inout Table
    ) async throws {
        let server = try ChildProcess(.server)
        let follower = Follower(server)
        let clients = (0..<connections).map { _ in RemoteConnection(server.url) }
        for client in clients { try await client.waitUntilLive() }
        let label = connections == 1 ? "Swift, 1 connection" : "Swift, \(connections) connections"
        try await measure(label, server, follower, count, scale, &table) {
            var dispatches: [Dispatch] = []
            dispatches.reserveCapacity(count)
            for _ in 0..<(count / connections) {
                for client in clients { dispatches.append(client.dispatch(Vote())) }
            }
            for dispatch in dispatches { _ = try await dispatch.outcome }
        }
        for client in clients { client.close() }
        follower.close()
    }

    /// Through sockets that cost little, so that the server is what is measured.
    private static func measureRawSockets(
        _ connections: Int, _ count: Int, _ scale: Scale, _ table: inout Table
    ) async throws {
        let server = try ChildProcess(.server)
        let follower = Follower(server)
        let raw = try RawDispatcher(
            port: server.port, connections: connections, firstNumber: 1, type: Vote.wireName,
            payload: try JSONCoding.encode(Vote()), inFlight: connections == 1 ? 512 : 32)
        let label = connections == 1 ? "raw, 1 connection" : "raw, \(connections) connections"
        try await measure(label, server, follower, count, scale, &table) {
            try raw.dispatch(count / connections)
        }
        follower.close()
    }

    private static func measure(
        _ label: String, _ server: ChildProcess, _ follower: Follower, _ count: Int,
        _ scale: Scale, _ table: inout Table, _ dispatch: () async throws -> Void
    ) async throws {
        var rates: [Double] = []
        var serverCosts: [Double] = []
        var clientCosts: [Double] = []
        for run in 0...scale.runs {
            let (serverBefore, clientBefore) = (server.processorTime, ProcessorTime.own)
            let watch = Stopwatch()
            try await dispatch()
            try await follower.waitFor((run + 1) * count)
            // The first run warms up.
            if run == 0 { continue }
            rates.append(Double(count) / watch.seconds)
            serverCosts.append((server.processorTime - serverBefore) * 1e6 / Double(count))
            clientCosts.append((ProcessorTime.own - clientBefore) * 1e6 / Double(count))
        }
        table.add(label, Measurement(rates), "actions/s")
        table.add("… server", Measurement(serverCosts), "CPU µs/action")
        table.add("… client", Measurement(clientCosts), "CPU µs/action")
    }
}

/// A mirror of the tally.
@MainActor private final class Follower {
    private let connection: RemoteConnection
    private let store: RemoteStore<Int>

    init(_ server: ChildProcess) {
        connection = RemoteConnection(server.url)
        store = RemoteStore(Desk.tally, on: connection)
    }

    func waitFor(_ tally: Int) async throws {
        if store.state == tally { return }
        for await state in store.states where state == tally { return }
        throw Failure("The mirror ended before it reached \(tally).")
    }

    func close() {
        connection.close()
    }
}

extension ChildProcess {
    fileprivate var url: String { "ws://127.0.0.1:\(port)/" }
}

extension RemoteConnection {
    fileprivate func waitUntilLive() async throws {
        for await status in statuses where status == .live { return }
        throw Failure("A connection was closed before it was live.")
    }
}
