import StorecastClient
import Testing

@testable import Storm

struct TrailTests {
    private static func numbers(_ numbers: Range<Int>) -> JSON {
        .array(numbers.map { .int(Int64($0)) })
    }

    @Test func `a list that grows, and is emptied before every hundredth number, is in order`() {
        var trail = Trail()
        for count in 1...250 {
            let list = Trail.list(after: count)
            #expect(trail.take(list, acked: count, dispatched: count) == nil)
            if count % Trail.longest == 0 {
                #expect(trail.take([], acked: count, dispatched: count) == nil)
            }
        }
    }

    @Test func `numbers that a mirror has skipped are no trouble`() {
        var trail = Trail()
        #expect(trail.take(Self.numbers(0..<3), acked: 3, dispatched: 5) == nil)
        #expect(trail.take(Self.numbers(0..<90), acked: 88, dispatched: 90) == nil)
        #expect(trail.take([], acked: 95, dispatched: 100) == nil)
        #expect(trail.take(Self.numbers(300..<301), acked: 300, dispatched: 301) == nil)
    }

    @Test(arguments: [[0, 2], [0, 1, 1], [1, 0], [1, 2], [50], [-100], ["0"]] as [JSON])
    func `a number that is missing, there twice or not in its place is trouble`(list: JSON) {
        var trail = Trail()
        let problem = trail.take(list, acked: 0, dispatched: 100)
        #expect(problem?.hasPrefix("isn't every number once and in order") == true)
    }

    @Test func `a list that has fewer numbers than before has gone back`() {
        var trail = Trail()
        #expect(trail.take(Self.numbers(100..<120), acked: 0, dispatched: 120) == nil)
        #expect(
            trail.take(Self.numbers(100..<119), acked: 0, dispatched: 120)
                == "went back from 120 numbers to 119")
        #expect(trail.take(Self.numbers(0..<100), acked: 0, dispatched: 120) != nil)
    }

    @Test func `a list without a number that was acked has lost it`() {
        var trail = Trail()
        #expect(
            trail.take(Self.numbers(0..<7), acked: 8, dispatched: 9)
                == "has 7 numbers, and 8 were acked")
    }

    @Test func `a list is empty only before a hundredth number`() {
        var trail = Trail()
        #expect(trail.take([], acked: 0, dispatched: 0) == nil)
        #expect(trail.take([], acked: 7, dispatched: 99) == "is empty after 7 numbers")
        #expect(trail.take(Self.numbers(0..<50), acked: 0, dispatched: 99) == nil)
        #expect(trail.take([], acked: 0, dispatched: 99) == "is empty after 50 numbers")
        #expect(trail.take([], acked: 0, dispatched: 100) == nil)
    }

    @Test func `a number that nobody has dispatched is trouble`() {
        var trail = Trail()
        #expect(trail.take([0, 1], acked: 0, dispatched: 1) == "has 2 numbers of 1")
    }

    @Test func `a list that is missing, or isn't one, is trouble`() {
        var trail = Trail()
        #expect(trail.take(nil, acked: 0, dispatched: 0) == "isn't there")
        #expect(trail.take(["a": 1], acked: 0, dispatched: 0) == "isn't there")
    }

    @Test func `the list after so many numbers begins at the last hundred`() {
        #expect(Trail.list(after: 0) == [])
        #expect(Trail.list(after: 3) == [0, 1, 2])
        #expect(Trail.list(after: 100) == Self.numbers(0..<100))
        #expect(Trail.list(after: 102) == [100, 101])
    }
}
