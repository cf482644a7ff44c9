/// How long a client waits before it connects again: twice as long after every failure, within
/// bounds, and then by chance between half of that and all of it, so that the clients of a server
/// that went down don't come back at the same moment.
struct BackOff {
    private let shortest: Double
    private let longest: Double
    private var failures = 0

    /// Bounds in seconds.
    init(shortest: Double = 0.25, longest: Double = 30) {
        self.shortest = shortest
        self.longest = longest
    }

    /// The connection was live.
    mutating func reset() {
        failures = 0
    }

    /// The time to wait after one more failure.
    mutating func next(using random: inout some RandomNumberGenerator) -> Duration {
        var seconds = shortest
        for _ in 0..<min(failures, 30) where seconds < longest { seconds *= 2 }
        failures += 1
        seconds = min(seconds, longest)
        return .seconds(Double.random(in: seconds / 2...seconds, using: &random))
    }
}
