import Testing

@testable import StorecastBench

/// What a soak makes of what it saw.
struct SoakTests {
    /// Noise from -1 to 1 that is the same at every run.
    private struct Noise {
        private var state: UInt64 = 1

        mutating func next() -> Double {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return Double(state >> 33) / Double(1 << 30) - 1
        }
    }

    private static func points(
        _ count: Int, _ value: (Double) -> Double
    ) -> [(time: Double, value: Double)] {
        (0..<count).map { (Double($0), value(Double($0))) }
    }

    @Test func `a straight line's trend is the line`() throws {
        let trend = try #require(Trend(Self.points(21) { 5 + 2 * $0 }))
        #expect(trend.increase == 40)
        #expect(trend.span == 20)
        #expect(trend.median == 25)
        // All 210 pairs rise; S = 210, the variance 21 * 20 * 47 / 18.
        #expect(abs(trend.evidence - 209 / (21.0 * 20 * 47 / 18).squareRoot()) < 1e-9)
        let falling = try #require(Trend(Self.points(21) { -$0 }))
        #expect(falling.increase == -20)
        #expect(falling.evidence < -3)
        #expect(!falling.grows(beyond: 0, part: 0))
    }

    @Test func `what stays, swings or jumps about doesn't grow`() throws {
        var noise = Noise()
        for points in [
            Self.points(600) { _ in 100 }, Self.points(600) { _ in 100 + 50 * noise.next() },
            Self.points(600) { 100 + $0.truncatingRemainder(dividingBy: 30) },
            // A few values far off at the end.
            Self.points(600) { $0 > 570 ? 10_000 : 100 },
        ] {
            let trend = try #require(Trend(points))
            #expect(!trend.grows(beyond: 10, part: 0.1), "\(trend)")
        }
    }

    @Test func `what grows is seen through noise greater than its growth`() throws {
        var noise = Noise()
        let points = Self.points(600) { 100 + 50 * noise.next() + $0 / 20 }
        let trend = try #require(Trend(points))
        #expect((20...40).contains(trend.increase), "30 it is")
        #expect(trend.grows(beyond: 10, part: 0.1))
        #expect(!trend.grows(beyond: 50, part: 0.1), "It is within its bound.")
    }

    @Test func `many values are thinned out, and few say nothing`() throws {
        let many = try #require(Trend(Self.points(5000) { $0 }))
        #expect(abs(many.increase - 5000) < 10)
        #expect(Trend(Self.points(Trend.fewest - 1) { $0 }) == nil)
        #expect(Trend((0..<30).map { _ in (time: 1, value: 2) }) == nil, "no time has gone by")
    }

    private static func result(growth: Int = 0, files: (Int) -> Int? = { _ in 1_000_000 })
        -> SoakResult
    {
        var result = SoakResult(duration: .seconds(90))
        result.judgedFrom = 30
        result.samples = (0..<90).map { second in
            SoakSample(
                seconds: Double(second), restarts: second > 10 ? 1 : 0, clients: 22,
                acked: second * 100,
                memory: second < 30 ? second << 20 : 50_000_000 + second * growth,
                descriptors: 40, files: files(second), processor: 0.123, p50: 900_000,
                p99: 3_000_000)
        }
        return result
    }

    @Test func `what grew while the server warmed up isn't held against it`() {
        let result = Self.result()
        #expect(result.isGood)
        #expect(result.growing.isEmpty)
        #expect(result.trends.map(\.measure.name) == SoakMeasure.all.map(\.name))
        #expect(result.lines.last == "Nothing grows, and nothing was lost.")
    }

    @Test func `what grows is named with how much, and the soak isn't good`() {
        let result = Self.result(growth: 200_000) { $0 * 1_000_000 }
        #expect(!result.isGood)
        #expect(result.growing == ["memory", "files"])
        #expect(
            result.lines.contains {
                $0.hasPrefix("memory: grows: 61.9 MB, +11.8 MB in 59 s; 8.00 MB is the bound")
            }, "\(result.lines)")
        #expect(result.lines.last?.hasPrefix("Nothing") == false)
    }

    @Test func `what must not happen is said, and the soak isn't good`() {
        var result = Self.result()
        result.troubles = ["The server lost something."]
        #expect(!result.isGood)
        #expect(result.lines.suffix(2) == ["The server lost something.", "Nothing grows."])
    }

    @Test func `what isn't known has no trend, and an empty place in rows`() {
        let result = Self.result { _ in nil }
        #expect(result.trends.map(\.measure.name).contains("files") == false)
        var sample = result.samples[40]
        #expect(sample.csv == "40.0,1,22,4000,50000000,40,,12.3,900.0,3000.0")
        (sample.p50, sample.memory) = (nil, nil)
        let words = sample.row.split(separator: " ").joined(separator: " ")
        #expect(words == "40 s 1 22 4,000 - 40 - 12.3 % - 3.00 ms")
        #expect(sample.row.count == SoakSample.head.count)
        #expect(SoakSample.csvHead.split(separator: ",").count == 10)
        var brief = SoakResult(duration: .seconds(3))
        brief.samples = Array(result.samples.suffix(30))
        #expect(brief.lines.last == "It was too short to say whether something grows.")
    }

    @Test func `the picture has a panel for each measure, and a line for each restart`() throws {
        let elements = try SVGElements(SoakChart(title: "a < b", result: Self.result()).svg)
        #expect(elements.named("polyline", "line").count == 5)
        #expect(elements.named("line", "bound").count == 5)
        #expect(elements.text.contains("memory: doesn't grow|"))
        let growing = SoakChart(title: "", result: Self.result(growth: 200_000)).svg
        #expect(try SVGElements(growing).text.contains("memory: grows|"))
        let empty = SoakChart(title: "", result: SoakResult(duration: .seconds(3))).svg
        #expect(try SVGElements(empty).named("polyline", "line").isEmpty)
    }
}
