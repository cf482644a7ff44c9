/// Whether a measure grows with time: by how much, robustly, and whether that is more than chance.
///
/// The slope is the median of the slopes between all pairs (Theil and Sen), which a third of the
/// values may miss without changing it much. Whether there is a trend at all says the test of Mann
/// and Kendall: how many pairs rise rather than fall, in standard deviations of what chance does.
package struct Trend: Sendable, Equatable {
    package let median: Double
    /// What the slope comes to over the time from the first value to the last.
    package let increase: Double
    /// That time, in seconds.
    package let span: Double
    /// Standard deviations; below 0 if it falls.
    package let evidence: Double

    /// Fewer values say nothing.
    package static let fewest = 20
    /// More are thinned out evenly, as all pairs are looked at.
    private static let most = 1000

    /// Nil of too few values. O(n²) of at most 1,000.
    package init?(_ points: [(time: Double, value: Double)]) {
        let step = max(1, (points.count + Self.most - 1) / Self.most)
        let points = stride(from: 0, to: points.count, by: step).map { points[$0] }
        guard points.count >= Self.fewest, let first = points.first, let last = points.last,
            last.time > first.time
        else { return nil }
        var slopes: [Double] = []
        var rises = 0
        for (index, one) in points.enumerated() {
            for other in points[(index + 1)...] where other.time > one.time {
                slopes.append((other.value - one.value) / (other.time - one.time))
                rises += other.value > one.value ? 1 : other.value < one.value ? -1 : 0
            }
        }
        span = last.time - first.time
        increase = Self.median(of: slopes) * span
        median = Self.median(of: points.map(\.value))
        let count = Double(points.count)
        let deviation = (count * (count - 1) * (2 * count + 5) / 18).squareRoot()
        evidence = Double(rises - rises.signum()) / deviation
    }

    /// Whether it grows by more than a bound: so much, and such a part of the median, over the time
    /// that was watched.
    package func grows(beyond least: Double, part: Double) -> Bool {
        evidence > 3 && increase > max(least, median * part)
    }

    private static func median(of values: [Double]) -> Double {
        let sorted = values.sorted()
        guard !sorted.isEmpty else { return 0 }
        let middle = sorted.count / 2
        return sorted.count % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2
    }
}
