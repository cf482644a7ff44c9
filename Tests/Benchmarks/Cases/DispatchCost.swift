import Storecast

/// A dispatch on a local store, by the number of its subscribers.
enum DispatchCost: Benchmark {
    static let name = "dispatch"
    static let summary = "A dispatch on a local store, reducer included"

    static func run(_ scale: Scale, _ table: inout Table) async throws {
        let total = scale.pick(20_000, 1_000_000)
        table.add("no subscribers", measure(0, total, scale.runs) { $0.select(\.changing) }, "ns")
        for subscribers in [1_000, 10_000] {
            let count = max(total / subscribers, 20)
            table.add(
                "\(subscribers) hear of it, one key path",
                measure(subscribers, count, scale.runs) { $0.select(\.changing) }, "ns")
            table.add(
                "\(subscribers) hear of it, a closure each",
                measure(subscribers, count, scale.runs) { $0.select { $0.changing } }, "ns")
            table.add(
                "\(subscribers) don't, one key path",
                measure(subscribers, total / 10, scale.runs) { $0.select(\.constant) }, "ns")
        }
    }

    private static func measure(
        _ subscribers: Int, _ count: Int, _ runs: Int,
        _ transform: @escaping (Subscription<Numbers>) -> Subscription<Int>
    ) -> Measurement {
        let store = Store(state: Numbers()) { numbers, action in
            if let add = action as? Add { numbers.changing += add.by }
        }
        let listeners = (0..<subscribers).map { _ in Listener() }
        for listener in listeners { store.subscribe(listener, transform: transform) }
        let measurement = Stopwatch.nanoseconds(runs: runs, count: count) {
            store.dispatch(Add(by: 1))
        }
        blackHole(listeners.reduce(0) { $0 &+ $1.sum })
        return measurement
    }

    private struct Numbers {
        var changing = 0
        var constant = 0
    }

    private struct Add: Action {
        var by: Int
    }

    private final class Listener: StoreSubscriber {
        private(set) var sum = 0
        func newState(state: Int) { sum &+= state }
    }
}
