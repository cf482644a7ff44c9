import MeasureSupport
import Storecast

/// Coming and going on a local store that has other subscribers.
enum SubscribeCost: Benchmark {
    static let name = "subscribe"
    static let summary = "Subscribing to a local store and unsubscribing, by its subscribers"

    static func run(_ scale: Scale, _ table: inout Table) async throws {
        for interest in [Interest.sharedPath, .ownClosure] {
            for subscribers in [1, 100, 10_000] {
                let count = scale.pick(200, 10_000)
                let results = (0..<scale.runs).map { _ in measure(interest, subscribers, count) }
                let who = "by \(interest.rawValue), one of \(subscribers)"
                table.add("subscribe \(who)", Measurement(results.map(\.subscribe)), "ns")
                table.add("unsubscribe \(who)", Measurement(results.map(\.unsubscribe)), "ns")
            }
        }
    }

    /// The nanoseconds of each, the reading of the clock included.
    private static func measure(
        _ interest: Interest, _ subscribers: Int, _ count: Int
    ) -> (subscribe: Double, unsubscribe: Double) {
        let store = Interest.makeStore()
        let listeners = (0..<subscribers).map { _ in Interest.Listener() }
        for (number, listener) in listeners.enumerated() {
            interest.subscribe(listener, number: number, to: store)
        }
        var subscribing = Duration.zero
        var unsubscribing = Duration.zero
        for turn in 0..<count {
            // A prime step, so that they leave from all over the list.
            let number = turn * 7_919 % subscribers
            let start = ContinuousClock.now
            store.unsubscribe(listeners[number])
            let middle = ContinuousClock.now
            interest.subscribe(listeners[number], number: number, to: store)
            let end = ContinuousClock.now
            unsubscribing += start.duration(to: middle)
            subscribing += middle.duration(to: end)
        }
        blackHole(listeners.reduce(0) { $0 &+ $1.sum })
        let unit = Duration.nanoseconds(count)
        return (subscribing / unit, unsubscribing / unit)
    }
}
