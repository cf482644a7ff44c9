@testable import Simulate
import Testing

struct SeedRangeTests {
    @Test func `a number is so many seeds from 0`() {
        #expect(SeedRange(argument: "1000")?.seeds == 0..<1000)
    }

    @Test func `a range is what it says`() {
        #expect(SeedRange(argument: "7..<9")?.seeds == 7..<9)
    }

    @Test(arguments: ["", "0", "-1", "x", "5..<5", "9..<7", "1..<", "..<3", "1...3", "1..<2..<3"])
    func `anything else is none`(argument: String) {
        #expect(SeedRange(argument: argument) == nil)
    }
}
