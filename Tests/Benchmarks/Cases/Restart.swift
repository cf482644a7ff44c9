import Glibc
import MeasureSupport
import StorecastClient
import Synchronization
import TestSupport

/// How clients come back when their server is started again: after it said goodbye in waves, and
/// after it was killed.
enum Restart: Benchmark {
    static let name = "restart"
    static let summary = "Clients that come back to a server that is started again"

    static func run(_ scale: Scale, _ table: inout Table) async throws {
        let count = min(scale.pick(500, 10_000), DescriptorLimit.connections)
        let directory = try TemporaryDirectory()
        var journal = ServedJournal(file: directory.file("restart"))
        var server = try ChildProcess(.server, journal)
        journal.port = server.port
        let returns = Returns()
        let clients = (0..<count).map { _ in
            RemoteConnection("ws://127.0.0.1:\(journal.port)/")
        }
        let watching = clients.map { client in
            Task {
                for await status in client.statuses where status == .live { returns.note() }
            }
        }
        defer {
            for client in clients { client.close() }
            for task in watching { task.cancel() }
        }
        await returns.wait(for: count)
        table.add("clients", Double(count), "")
        for isKilled in [false, true] {
            let how = isKilled ? "killed" : "stopped"
            returns.forget()
            let watch = Stopwatch()
            if isKilled { server.end() } else { server.finish() }
            if !isKilled { table.add("stopped: until it has ended", watch.seconds, "s") }
            server = try ChildProcess(.server, journal)
            let begin = ContinuousClock.now
            await returns.wait(for: count)
            let times = returns.times.map { ($0 - begin) / .seconds(1) }.sorted()
            let half = times[times.count / 2]
            table.add("\(how): until half of them are live again", half, "s")
            table.add("\(how): until all are", times.last ?? 0, "s")
            table.add("\(how): the most that came in a second", Double(most(of: times)), "")
            table.add("\(how): the server's processor time", server.processorTime, "s")
        }
        table.note("Times are from when the new server listens.")
    }

    /// The most in any second, of times in order.
    private static func most(of times: [Double]) -> Int {
        var (first, most) = (0, 0)
        for (place, time) in times.enumerated() {
            while times[first] < time - 1 { first += 1 }
            most = max(most, place - first + 1)
        }
        return most
    }
}

/// When clients have become live.
private final class Returns: Sendable {
    private struct State {
        var times: [ContinuousClock.Instant] = []
        var waiter: (count: Int, continuation: CheckedContinuation<Void, Never>)?
    }

    private let state = Mutex(State())

    var times: [ContinuousClock.Instant] { state.withLock(\.times) }

    func note() {
        state.withLock { state in
            state.times.append(.now)
            if let waiter = state.waiter, state.times.count >= waiter.count {
                state.waiter = nil
                waiter.continuation.resume()
            }
        }
    }

    func forget() { state.withLock { $0.times = [] } }

    func wait(for count: Int) async {
        await withCheckedContinuation { continuation in
            state.withLock { state in
                if state.times.count >= count { return continuation.resume() }
                state.waiter = (count, continuation)
            }
        }
    }
}
