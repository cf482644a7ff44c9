import StorecastSync
import StorecastWire
import Testing

@testable import StorecastBench

struct NumberedTextTests {
    @Test(arguments: [
        ("", ""), ("plain", "plain"), ("{n}", "7"), ("{c}{n}{c}", "373"),
        (#"{"path":"/rows/{c}","by":{n}}"#, #"{"path":"/rows/3","by":7}"#),
        ("{{n}}{", "{7}{"), ("{x}{n", "{x}{n"), ("é{c}é", "é3é"),
    ])
    func `numbers stand in their places`(text: String, filled: String) {
        let bytes = NumberedText(text).bytes(action: 7, connection: 3)
        #expect(String(decoding: bytes, as: UTF8.self) == filled)
    }
}

struct PaceTests {
    private let pace = Pace(
        rate: 1_000, connections: 4, firstNumber: 100, start: 5_000_000, measuredFrom: 9_000_000,
        end: 12_000_000)

    @Test func `actions are due evenly, on one connection after the other`() {
        let moments = (0..<3).flatMap { index in
            (0..<4).map { pace.moment(of: index, on: $0) }
        }
        #expect(moments == (5...16).map { $0 * 1_000_000 })
    }

    @Test func `no two actions have one number`() {
        let numbers = (0..<3).flatMap { index in (0..<4).map { pace.number(of: index, on: $0) } }
        #expect(numbers == Array(100..<112))
    }

    @Test func `those are measured that are due behind the warm-up and before the end`() {
        #expect(
            [8_999_999, 9_000_000, 11_999_999, 12_000_000].map(pace.isMeasured)
                == [false, true, true, false])
    }
}

struct MirrorDelaysTests {
    @Test func `the last thread to reach a version counts`() {
        var delays = MirrorDelays(threads: 2)
        delays.add(floors: [(1, 110), (3, 150)], of: 0)
        delays.add(floors: [(2, 130)], of: 1)
        delays.add(acked: [(due: 100, version: 1), (due: 101, version: 3)])
        #expect(delays.delays.count == 1)
        #expect(delays.delays.largest == 30)
        #expect(delays.unseen == 1)
        delays.add(floors: [(4, 201)], of: 1)
        delays.add(acked: [])
        #expect(delays.delays.largest == 100)
        #expect(delays.unseen == 0)
    }

    @Test func `a new step waits for nothing of the last one`() {
        var delays = MirrorDelays(threads: 1)
        delays.add(acked: [(due: 1, version: 1)])
        delays.reset()
        delays.add(floors: [(1, 2)], of: 0)
        delays.add(acked: [(due: 1, version: 1)])
        #expect(delays.delays.count == 1)
        #expect(delays.unseen == 0)
    }

    @Test(arguments: [1, 2, 3] as [UInt64])
    func `in whatever order threads are asked, delays are those of the obvious way`(
        seed: UInt64
    ) throws {
        var random = SeededGenerator(seed: seed)
        var delays = MirrorDelays(threads: 3)
        var floors: [[(version: UInt64, at: Int64)]] = [[], [], []]
        var expected = Histogram()
        for round in 0..<50 {
            let time = Int64(round * 1_000)
            for thread in 0..<3 {
                var version = floors[thread].last?.version ?? 0
                var news: [(version: UInt64, at: Int64)] = []
                for step in 0..<Int.random(in: 1...5, using: &random) {
                    version += .random(in: 1...4, using: &random)
                    news.append((version, time + Int64(step)))
                }
                floors[thread] += news
                delays.add(floors: news, of: thread)
            }
            let acked = (0..<10).map { _ in
                (due: Int64.random(in: 0...time, using: &random), version: UInt64(round + 1))
            }
            delays.add(acked: acked)
            for action in acked {
                let times = floors.map { thread in thread.first { $0.version >= action.version } }
                try #require(times.allSatisfy { $0 != nil })
                expected.record(times.compactMap { $0?.at }.max()! - action.due)
            }
            #expect(delays.delays == expected, "seed \(seed), round \(round)")
        }
    }

    @Test func `memory is bounded, and what is forgotten counts as unseen`() {
        var delays = MirrorDelays(threads: 1)
        let acks = (0..<(MirrorDelays.bound + 5)).map { (due: Int64($0), version: UInt64($0 + 1)) }
        delays.add(acked: acks)
        #expect(delays.unseen == MirrorDelays.bound + 5)
        delays.add(floors: [(UInt64(acks.count), 1 << 30)], of: 0)
        delays.add(acked: [])
        #expect(delays.delays.count == MirrorDelays.bound)
        #expect(delays.unseen == 5)
    }
}

struct RateSearchTests {
    /// The rates that are tried where up to `highest` holds.
    private func search(from rate: Double, highest: Double) -> (found: Double?, tried: [Double]) {
        var search = RateSearch(from: rate)
        var tried: [Double] = []
        while let next = search.next {
            tried.append(next)
            search.answer(next <= highest)
        }
        return (search.highest, tried)
    }

    @Test func `it doubles, then bisects`() {
        let (found, tried) = search(from: 100, highest: 730)
        #expect(tried == [100, 200, 400, 800, 600, 700, 750, 725])
        #expect(found == 725)
    }

    @Test func `if the first rate doesn't hold, it halves`() {
        #expect(search(from: 100, highest: 30).tried.prefix(4) == [100, 50, 25, 37.5])
    }

    @Test(arguments: [1, 1.5, 17, 99.9, 100, 12_345, 9_999_999] as [Double])
    func `it comes within a twentieth`(highest: Double) throws {
        let found = try #require(search(from: 100, highest: highest).found)
        #expect(found <= highest)
        #expect(found >= highest / 1.05)
    }

    @Test func `it ends where nothing holds, and where everything does`() {
        let nothing = search(from: 100, highest: 0)
        #expect(nothing.found == nil)
        #expect(nothing.tried.suffix(2) == [1.5625, 1])
        let everything = search(from: 100, highest: .infinity)
        #expect(everything.found == 10_000_000)
    }
}

struct LatencyBoundTests {
    @Test func `bounds are read`() throws {
        let bound = try #require(LatencyBound("mirror-p99.9=1.5ms"))
        #expect(bound.isOfMirrors)
        #expect(abs(bound.fraction - 0.999) < 1e-12)
        #expect(bound.limit == .microseconds(1_500))
        #expect(LatencyBound("max=2s")?.fraction == 1)
        #expect(LatencyBound("p50=500us")?.limit == .microseconds(500))
        #expect(LatencyBound("p50=20ms")?.isOfMirrors == false)
    }

    @Test(arguments: [
        "", "p99", "p99=", "=20ms", "p0=1s", "p100=1s", "p99=0", "p99=-1s", "q99=1s", "p99=1d",
        "p99=20ms=", "mirror-=1s", "pnan=1s", "p99=1e3s",
    ])
    func `anything else isn't`(text: String) {
        #expect(LatencyBound(text) == nil)
    }

    private func result(_ latencies: [Int64], lost: Int = 0) -> StepResult {
        var tally = Tally()
        for latency in latencies { tally.acks.record(latency) }
        tally.ackedInTime = latencies.count
        tally.lost = lost
        return StepResult(
            step: .init(rate: 1, warmUp: .zero, duration: .seconds(1)), seconds: 1, tally: tally,
            mirrors: nil, unseen: 0)
    }

    @Test func `a bound holds for what is measured, of all connections`() throws {
        let bound = try #require(LatencyBound("p50=1ms"))
        #expect(bound.holds(for: result([500_000, 999_000, 9_000_000, 9_000_000])))
        #expect(!bound.holds(for: result([500_000, 1_100_000, 9_000_000, 9_000_000])))
        #expect(!bound.holds(for: result([])))
        #expect(!bound.holds(for: result([500_000], lost: 1)))
        #expect(try !#require(LatencyBound("mirror-p50=1s")).holds(for: result([1])))
    }
}
