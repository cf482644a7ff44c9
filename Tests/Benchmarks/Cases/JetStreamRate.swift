import MeasureSupport
import StorecastNATS
import StorecastRoom
import StorecastTesting
import StorecastWebSocket
import TestSupport

/// Batches that are kept by three NATS servers of this machine, each of which writes to the disk
/// before it answers; with the journal, and with nothing around JetStream.
enum JetStreamRate: Benchmark {
    static let name = "jetstream"
    static let summary = "Batches a second that three NATS servers keep, by how many are in flight"

    static func run(_ scale: Scale, _ table: inout Table) async throws {
        guard NATSProcess.isThere else {
            return table.note("Left out: .build/python has no nats-server (see the README).")
        }
        let cluster = try await NATSCluster()
        let configuration = try NATSConfiguration(cluster.addresses)
        let layout = JetStreamLayout(name: "bench", streams: 8)
        let store = try await JetStreamStore.open(configuration, layout, patience: .seconds(60))
        for size in [1, 100] {
            let what = size == 1 ? "of an action" : "of \(size) actions"
            for rooms in [1, 64, 512] {
                let times = try await append(
                    scale.pick(rooms == 1 ? 50 : 4, rooms == 1 ? 2_000 : 100), of: size,
                    to: rooms, in: store)
                let label = "\(rooms) in flight, \(what)"
                table.add("\(label)", times.rate, "batches/s")
                table.add("… half of them in", times.part(0.5) * 1e3, "ms")
                table.add("… 99 % of them in", times.part(0.99) * 1e3, "ms")
            }
        }
        await store.close()
        table.note(
            "A room has one batch in flight. The servers share this machine with one another.")
    }

    private struct Times: Sendable {
        var rate = 0.0
        var sorted: [Double] = []

        func part(_ part: Double) -> Double {
            sorted[min(sorted.count - 1, Int(Double(sorted.count) * part))]
        }
    }

    /// Appends so many batches to each of some rooms at once.
    @concurrent nonisolated private static func append(
        _ count: Int, of size: Int, to rooms: Int, in store: JetStreamStore
    ) async throws -> Times {
        let logs = store.logs
        // Who takes a room over isn't measured.
        for room in 0..<rooms { _ = try await logs.open("/\(size)-\(rooms)/\(room)") }
        let batch = JournalSample.notes(UInt64(size))
        let watch = Stopwatch()
        let times = try await withThrowingTaskGroup(of: [Double].self) { group in
            for room in 0..<rooms {
                group.addTask {
                    var times: [Double] = []
                    for _ in 0..<count {
                        let watch = Stopwatch()
                        _ = try await logs.append(batch, to: "/\(size)-\(rooms)/\(room)")
                        times.append(watch.seconds)
                    }
                    return times
                }
            }
            var all: [Double] = []
            for try await times in group { all += times }
            return all
        }
        return Times(rate: Double(times.count) / watch.seconds, sorted: times.sorted())
    }
}
