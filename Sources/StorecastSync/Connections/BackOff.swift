package import StorecastWire

/// How long to wait before connecting again: twice as long after every failure, within bounds, and
/// then by chance between half of that and all of it, so that all who lost a server don't come back
/// at the same moment.
///
/// A server that welcomes everyone and hangs up at once is as broken as one that doesn't answer:
/// only a connection that held for some seconds ends a row of failures. So whoever connects tells
/// when a connection is there and when it has ended; times are those since some moment in the past.
package struct BackOff: Sendable {
    private static let stable = Duration.seconds(5)

    private let shortest: Double
    private let longest: Double
    private var failures = 0
    private var openedAt: Duration?

    /// Bounds in seconds.
    package init(shortest: Double = 0.25, longest: Double = 30) {
        self.shortest = shortest
        self.longest = longest
    }

    /// That of servers toward each other and toward NATS: many clients wait for each of them.
    package static var betweenServers: BackOff { BackOff(shortest: 0.1, longest: 5) }

    /// There is a connection, which the other end has welcomed.
    package mutating func opened(at time: Duration) {
        openedAt = time
    }

    /// There is none any more; without effect if there was none.
    ///
    /// - Returns: whether it held for long enough to end the row of failures.
    @discardableResult
    package mutating func closed(at time: Duration) -> Bool {
        guard let opened = openedAt.take(), time - opened >= Self.stable else { return false }
        failures = 0
        return true
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
