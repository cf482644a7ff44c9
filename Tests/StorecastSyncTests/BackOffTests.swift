import StorecastSync
import Testing

/// Times are in seconds, and chance is the same in every run.
struct BackOffTests {
    private func bye(_ after: Double, _ jitter: Double) -> ServerFrame.Bye {
        ServerFrame.Bye(code: "x", title: "X", reconnect: true, after: after, jitter: jitter)
    }

    private func next(_ backOff: inout BackOff, _ bye: ServerFrame.Bye? = nil) -> Double {
        var random = SeededGenerator(seed: 1)
        return backOff.next(after: bye, using: &random) / .seconds(1)
    }

    /// One with nine failures behind it.
    private func failing() -> BackOff {
        var backOff = BackOff()
        for _ in 1...9 { _ = next(&backOff) }
        return backOff
    }

    @Test(
        arguments: [
            (BackOff(), [0.25, 0.5, 1, 2, 4, 8, 16, 30, 30, 30]),
            (BackOff.betweenServers, [0.1, 0.2, 0.4, 0.8, 1.6, 3.2, 5, 5, 5]),
        ] as [(BackOff, [Double])])
    func `every failure doubles the time, between half of it and all, up to the longest`(
        backOff: BackOff, times: [Double]
    ) {
        var backOff = backOff
        var random = SeededGenerator(seed: 1)
        for longest in times {
            let delay = backOff.next(using: &random) / .seconds(1)
            #expect((longest / 2...longest).contains(delay))
        }
    }

    @Test func `who asks for a try begins anew`() {
        var backOff = failing()
        backOff.reset()
        let delay = next(&backOff)
        #expect(delay <= 0.25)
    }

    @Test(
        arguments: [(0, false), (0.1, false), (4.999, false), (5, true), (3600, true)]
            as [(Double, Bool)])
    func `a connection that held for five seconds ends a row of failures, and no shorter one does`(
        time: Double, ends: Bool
    ) {
        var backOff = failing()
        backOff.opened(at: .seconds(100))
        let hasEnded = backOff.closed(at: .seconds(100 + time))
        #expect(hasEnded == ends)
        let delay = next(&backOff)
        #expect(ends ? delay <= 0.25 : delay >= 15)
    }

    @Test func `connections that are lost at once are a row of failures`() {
        var backOff = BackOff()
        for (number, longest) in zip(0..., [0.25, 0.5, 1, 2, 4, 8, 16, 30, 30]) {
            // Together they have held for longer than five seconds.
            backOff.opened(at: .seconds(number * 10))
            backOff.closed(at: .seconds(number * 10 + 4))
            let delay = next(&backOff)
            #expect((longest / 2...longest).contains(delay))
        }
    }

    @Test func `attempts behind a connection that held are failures`() {
        var backOff = failing()
        backOff.opened(at: .seconds(0))
        backOff.closed(at: .seconds(5))
        for longest in [0.25, 0.5, 1] {
            let delay = next(&backOff)
            #expect((longest / 2...longest).contains(delay))
            // What never was open has ended.
            let hasEnded = backOff.closed(at: .seconds(1000))
            #expect(!hasEnded)
        }
    }

    @Test func `a connection that holds while somebody asks for a try still ends the row`() {
        var backOff = failing()
        backOff.opened(at: .seconds(0))
        backOff.reset()
        for _ in 1...9 { _ = next(&backOff) }
        backOff.closed(at: .seconds(6))
        let delay = next(&backOff)
        #expect(delay <= 0.25)
    }

    /// So that all clients of a server don't come back at once.
    @Test(arguments: [(0, 10), (0, 3600), (5, 10)] as [(Double, Double)])
    func `the whole of a bye's jitter is used`(_ after: Double, _ jitter: Double) {
        var random = SeededGenerator(seed: 1)
        let delays = (0..<200).map { _ in
            var backOff = BackOff()
            return backOff.next(after: bye(after, jitter), using: &random) / .seconds(1)
        }
        #expect(delays.allSatisfy { (after...after + jitter).contains($0) })
        for tenth in 1..<10 {
            let from = after + jitter * Double(tenth) / 10
            #expect(delays.contains { (from...from + jitter / 10).contains($0) })
        }
    }

    @Test(
        arguments: [
            (0, 0, 0...0.25), (1e-9, 0, 0.125...0.25), (-1e300, 1, 0.125...1),
            (1e300, 0, 3600...3600),
            (0, -1, 0.125...0.25), (2, 1e300, 2...3602), (10, 10, 10...20),
            (-1e300, -1e300, 0...0.25),
        ] as [(Double, Double, ClosedRange<Double>)])
    func `a bye can ask for more time, within reason`(
        _ after: Double, _ jitter: Double, _ expected: ClosedRange<Double>
    ) {
        var backOff = BackOff()
        let delay = next(&backOff, bye(after, jitter))
        #expect(expected.contains(delay))
        #expect(delay >= 0.125)
    }
}
