import MeasureSupport
import Storecast

/// A dispatch on a local store, by the number of its subscribers and what they select.
enum DispatchCost: Benchmark {
    static let name = "dispatch"
    static let summary = "A dispatch on a local store, reducer included, by its subscribers"

    static func run(_ scale: Scale, _ table: inout Table) async throws {
        for (interest, isTouched) in interests {
            for subscribers in [0, 1, 10, 100, 1_000, 10_000] {
                // What nobody subscribes to is the same for all.
                if subscribers == 0, interest != interests[0].0 { continue }
                let count = max(scale.pick(20_000, 1_000_000) / max(5, subscribers), 20)
                let what = isTouched ? "a tenth of them hears" : "none of them hears"
                table.add(
                    "\(subscribers) subscribers by \(interest.rawValue), \(what)",
                    measure(interest, subscribers, isTouched, count, scale.runs), "ns")
            }
        }
        table.note("Ten different parts are subscribed to, but for the 'own' ones.")
    }

    private static let interests: [(Interest, isTouched: Bool)] =
        Interest.allCases.map { ($0, false) } + [(.sharedPath, true), (.closure, true)]

    private static func measure(
        _ interest: Interest, _ subscribers: Int, _ isTouched: Bool, _ count: Int, _ runs: Int
    ) -> Measurement {
        let store = Interest.makeStore()
        let listeners = (0..<subscribers).map { _ in Interest.Listener() }
        for (number, listener) in listeners.enumerated() {
            interest.subscribe(listener, number: number, to: store)
        }
        let measurement = Stopwatch.nanoseconds(runs: runs, count: count) {
            store.dispatch(Interest.Touch(part: isTouched ? 3 : nil))
        }
        blackHole(listeners.reduce(0) { $0 &+ $1.sum })
        return measurement
    }
}
