import StorecastSync
import Testing

@testable import StorecastBench

struct HistogramTests {
    /// Durations of all sizes, as many small as large ones.
    private static func durations(_ count: Int, seed: UInt64) -> [Int64] {
        var random = SeededGenerator(seed: seed)
        return (0..<count).map { _ in
            let bits = Int.random(in: 0...41, using: &random)
            return Int64.random(in: 0...(1 << bits), using: &random)
        }
    }

    private static func histogram(_ durations: [Int64]) -> Histogram {
        var histogram = Histogram()
        for duration in durations { histogram.record(duration) }
        return histogram
    }

    @Test(arguments: [(1, 1), (2, 2), (10, 3), (1_000, 4), (20_000, 5)] as [(Int, UInt64)])
    func `quantiles are those of the sorted durations, to a thousandth`(count: Int, seed: UInt64) {
        let durations = Self.durations(count, seed: seed)
        let histogram = Self.histogram(durations)
        let sorted = durations.sorted()
        for fraction in [0, 0.001, 0.25, 0.5, 0.9, 0.99, 0.999, 0.9999, 1] {
            let rank = max(1, Int((fraction * Double(count)).rounded(.up)))
            let exact = sorted[rank - 1]
            let found = histogram.quantile(fraction)
            #expect(found >= exact, "seed \(seed), \(fraction)")
            #expect(found - exact <= exact / 1000, "seed \(seed), \(fraction)")
        }
        #expect(histogram.count == count)
        #expect(histogram.largest == sorted.last)
        let mean = durations.map(Double.init).reduce(0, +) / Double(count)
        #expect(abs(histogram.mean - mean) <= mean * 1e-9)
    }

    @Test(arguments: [6, 7, 8] as [UInt64])
    func `what several counted is what one would have counted`(seed: UInt64) {
        let durations = Self.durations(3_000, seed: seed)
        var merged = Histogram()
        for start in stride(from: 0, to: 3_000, by: 500) {
            merged.merge(Self.histogram(Array(durations[start..<start + 500])))
        }
        #expect(merged.quantile(0.5) == Self.histogram(durations).quantile(0.5))
        #expect(merged.quantile(0.999) == Self.histogram(durations).quantile(0.999))
        #expect(merged.count == 3_000)
        #expect(merged.largest == durations.max())
    }

    @Test func `every duration below two microseconds is told from its neighbours`() {
        for duration in [0, 1, 1_023, 1_024, 2_047] as [Int64] {
            var histogram = Self.histogram([duration])
            histogram.record(1 << 20)
            #expect(histogram.quantile(0.5) == duration)
        }
    }

    @Test func `one that is recorded several times counts as often`() {
        var histogram = Self.histogram([5])
        histogram.record(9, times: 99)
        #expect(histogram.count == 100)
        #expect(histogram.quantile(0.01) == 5)
        #expect(histogram.quantile(0.02) == 9)
        #expect(histogram.mean == 8.96)
    }

    @Test func `what is out of range counts as the nearest that isn't`() {
        let histogram = Self.histogram([-1, .max])
        #expect(histogram.quantile(0.5) == 0)
        #expect(histogram.quantile(1) == Histogram.longest)
    }

    @Test func `nothing has no quantiles`() {
        #expect(Histogram().quantile(0.99) == 0)
        #expect(Histogram().mean == 0)
    }
}
