/// A bound for a latency, as `--find` takes it.
package struct LatencyBound: Sendable, Equatable {
    /// Whether it is about the last mirror; otherwise about the ack.
    package var isOfMirrors: Bool
    /// The fraction of all actions that it holds for.
    package var fraction: Double
    package var limit: Duration

    /// As it was written.
    package var text: String

    /// Reads `p99=20ms`, `max=1s`, `mirror-p99.9=50ms`; nil for anything else.
    package init?(_ text: String) {
        self.text = text
        let sides = text.split(separator: "=", omittingEmptySubsequences: false)
        guard sides.count == 2, let limit = Duration(written: String(sides[1])), limit > .zero
        else { return nil }
        self.limit = limit
        let prefix = "mirror-"
        isOfMirrors = sides[0].hasPrefix(prefix)
        let quantile = isOfMirrors ? sides[0].dropFirst(prefix.count) : sides[0]
        if quantile == "max" {
            fraction = 1
        } else {
            guard quantile.first == "p", let percent = Double(quantile.dropFirst()),
                percent > 0, percent < 100
            else { return nil }
            fraction = percent / 100
        }
    }

    /// Whether it holds for what was measured: of nothing, and if a connection was lost, it
    /// doesn't.
    package func holds(for result: StepResult) -> Bool {
        guard let histogram = isOfMirrors ? result.mirrors : result.tally.acks else { return false }
        return histogram.count > 0 && result.tally.ackedInTime > 0 && result.tally.lost == 0
            && histogram.quantile(fraction) <= limit.nanoseconds
    }
}

extension Duration {
    /// Reads `10s`, `1.5m`, `2h`, `20ms`, `500us`; a number alone is seconds. Nil for anything else,
    /// and for a year or more.
    package init?(written text: String) {
        let digits = text.prefix { $0.isNumber || $0 == "." }
        guard let number = Double(digits), number < 1e9 else { return nil }
        switch text.dropFirst(digits.count) {
        case "", "s": self = .seconds(number)
        case "ms": self = .milliseconds(number)
        case "us", "µs", "μs": self = .microseconds(number)
        case "m", "min": self = .seconds(number * 60)
        case "h": self = .seconds(number * 3600)
        default: return nil
        }
        if self > .seconds(365 * 86_400) { return nil }
    }

    /// Whole nanoseconds, cut off.
    var nanoseconds: Int64 {
        let (seconds, attoseconds) = components
        return seconds * 1_000_000_000 + attoseconds / 1_000_000_000
    }
}

/// Finds the highest rate at which a bound holds: doubles as long as it does, or halves until it
/// does, then bisects to a twentieth.
package struct RateSearch: Sendable {
    /// The highest rate that is known to hold; nil if none is.
    package private(set) var highest: Double?
    private var lowestBad: Double?
    /// The rate to try; nil when it is found.
    package private(set) var next: Double?

    /// Rates beyond aren't tried.
    package static let limits = 1.0...10_000_000

    package init(from rate: Double) { next = rate }

    /// Takes the answer for `next`.
    package mutating func answer(_ holds: Bool) {
        guard let rate = next else { return }
        if holds { highest = rate } else { lowestBad = rate }
        next = following
    }

    private var following: Double? {
        switch (highest, lowestBad) {
        case (let good?, nil):
            let most = Self.limits.upperBound
            return good < most ? min(good * 2, most) : nil
        case (nil, let bad?):
            let least = Self.limits.lowerBound
            return bad > least ? max(bad / 2, least) : nil
        case (let good?, let bad?): return bad - good > good / 20 ? (good + bad) / 2 : nil
        case (nil, nil): return next
        }
    }
}
