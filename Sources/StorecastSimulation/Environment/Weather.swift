import StorecastSync

/// How a connection carries messages.
struct Weather: Sendable {
    /// At least so long is every message under way.
    var latency: Duration
    /// And up to so much longer.
    var jitter: Duration
    /// Messages wait for the end of such a while and arrive together; zero for each by itself.
    var burst: Duration
    /// How many bytes to a client may be under way before the server's socket takes no more.
    var capacity: Int

    /// Perfect.
    static let calm = Weather(latency: .zero, jitter: .zero, burst: .zero, capacity: .max)

    /// Somewhere between perfect and this.
    func drawn(_ random: inout SeededGenerator) -> Weather {
        Weather(
            latency: random.duration(upTo: latency), jitter: random.duration(upTo: jitter),
            burst: random.happens(oneIn: 2) ? random.duration(upTo: burst) : .zero,
            capacity: capacity == .max ? .max : 1 + random.below(capacity))
    }
}
