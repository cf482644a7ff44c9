import StorecastSync
package import StorecastWire

/// How long a client waits before it connects again: twice as long after every failure, within
/// bounds, and then by chance between half of that and all of it, so that the clients of a server
/// that went down don't come back at the same moment.
package struct BackOff {
    private let shortest: Double
    private let longest: Double
    private var failures = 0

    /// Bounds in seconds.
    package init(shortest: Double = 0.25, longest: Double = 30) {
        self.shortest = shortest
        self.longest = longest
    }

    /// The connection was live for so long.
    ///
    /// A server that welcomes everyone and hangs up at once is as broken as one that doesn't
    /// answer: only a connection that held for some seconds ends a row of failures.
    package mutating func wasLive(for time: Duration) {
        if time >= .seconds(5) { failures = 0 }
    }

    /// Somebody knows that the next try is worth while.
    package mutating func reset() {
        failures = 0
    }

    /// The time to wait after one more failure, of which the server may have said `bye`: at least
    /// as long as it asks for, up to two hours.
    package mutating func next(
        after bye: ServerFrame.Bye? = nil, using random: inout some RandomNumberGenerator
    ) -> Duration {
        let own = next(&random)
        guard let bye else { return own }
        let (after, jitter) = (min(max(bye.after, 0), 3600), min(max(bye.jitter, 0), 3600))
        return max(own, .seconds(after + .random(in: 0...jitter, using: &random)))
    }

    private mutating func next(_ random: inout some RandomNumberGenerator) -> Duration {
        var seconds = shortest
        for _ in 0..<min(failures, 30) where seconds < longest { seconds *= 2 }
        failures += 1
        seconds = min(seconds, longest)
        return .seconds(Double.random(in: seconds / 2...seconds, using: &random))
    }
}
