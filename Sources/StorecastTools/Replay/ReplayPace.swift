import StorecastSync

/// When things are due that are played in the rhythm in which they happened.
struct ReplayPace {
    /// Longer than any replay, so that times that make no sense do no harm.
    private static let longest: Double = 1e6

    private let speed: ReplaySpeed
    private let longestPause: Double
    private var last: Timestamp?
    private var due: Duration = .zero

    /// - Parameter longestPause: the most seconds between two things; nil for as many as there
    ///   were.
    init(_ speed: ReplaySpeed, longestPause: Double?) {
        self.speed = speed
        self.longestPause = min(longestPause ?? Self.longest, Self.longest)
    }

    /// When the next one is due, counted from the first. One that happened before the one before
    /// it, as clocks are set right, is due at once.
    mutating func due(_ time: Timestamp) -> Duration {
        let pause = last.map { (time.secondsSince1970 - $0.secondsSince1970) / speed.factor } ?? 0
        last = time
        if pause > 0 { due += .seconds(min(pause, longestPause)) }
        return due
    }
}
