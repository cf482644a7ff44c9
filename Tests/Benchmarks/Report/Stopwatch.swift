import MeasureSupport

/// Wall-clock time.
struct Stopwatch {
    private let start = ContinuousClock.now

    var seconds: Double { start.duration(to: .now) / .seconds(1) }

    /// The nanoseconds that one of `count` calls of `body` takes, measured `runs` times after a
    /// run that warms up.
    static func nanoseconds(
        runs: Int, count: Int, _ body: () throws -> Void
    ) rethrows -> Measurement {
        for _ in 0..<max(1, count / 4) { try body() }
        return try Measurement(runs: runs) {
            let watch = Stopwatch()
            for _ in 0..<count { try body() }
            return watch.seconds * 1e9 / Double(count)
        }
    }
}

/// Takes a value in a way that the optimiser can't see through.
@inline(never)
@_optimize(none)
func blackHole<Value>(_ value: borrowing Value) {}
