import StorecastMirror
import StorecastSync
import TestSupport
import Testing

struct BackOffTests {
    private func bye(_ after: Double, _ jitter: Double) -> ServerFrame.Bye {
        ServerFrame.Bye(code: "x", title: "X", reconnect: true, after: after, jitter: jitter)
    }

    @Test func `every failure doubles the time, between half of it and all`() {
        var (backOff, random) = (BackOff(), SystemRandomNumberGenerator())
        for longest in [0.25, 0.5, 1, 2, 4, 8, 16, 30, 30] {
            let delay = backOff.next(using: &random) / .seconds(1)
            #expect((longest / 2...longest).contains(delay))
        }
    }

    @Test func `who asks for a try begins anew`() {
        var (backOff, random) = (BackOff(), SystemRandomNumberGenerator())
        for _ in 1...9 { _ = backOff.next(using: &random) }
        backOff.reset()
        #expect(backOff.next(using: &random) <= .milliseconds(250))
    }

    @Test func `a connection that was live for a moment only is one more failure`() {
        var (backOff, random) = (BackOff(), SystemRandomNumberGenerator())
        for _ in 1...9 {
            _ = backOff.next(using: &random)
            backOff.wasLive(for: .milliseconds(100))
        }
        #expect(backOff.next(using: &random) >= .seconds(15))
        backOff.wasLive(for: .seconds(5))
        #expect(backOff.next(using: &random) <= .milliseconds(250))
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
        var (backOff, random) = (BackOff(), SystemRandomNumberGenerator())
        let delay = backOff.next(after: bye(after, jitter), using: &random)
        #expect(expected.contains(delay / .seconds(1)))
        #expect(delay >= .milliseconds(125))
    }
}
