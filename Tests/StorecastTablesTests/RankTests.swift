import StorecastTables
import Testing

struct RankTests {
    /// Inserts rows where `position` says, checks the order, and returns the ranks' lengths.
    static func lengths(
        _ number: Int, _ position: (Int, Int, inout SeededGenerator) -> Int
    ) -> (longest: Int, rankedAnew: Int) {
        var random = SeededGenerator(seed: 1)
        var (table, model): (OrderedTable<Number>, [Int]) = (OrderedTable(), [])
        for step in 0..<number {
            let place = position(step, model.count, &random)
            table.insert(Number(id: step), at: place)
            model.insert(step, at: place)
        }
        #expect(table.map(\.id) == model)
        #expect(table.fault == nil)
        let longest = model.map { table.rank(of: $0)!.text.utf8.count }.max() ?? 0
        return (longest, table.rankedAnewForTesting)
    }

    struct Number: Identifiable, Equatable { var id: Int }

    @Test func `ranks of rows that are added one after another stay short`() {
        #expect(Self.lengths(2_000) { _, count, _ in count } == (3, 0))
        #expect(Self.lengths(2_000) { _, _, _ in 0 } == (3, 0))
        // After the fifth row, and before the third from the end.
        #expect(Self.lengths(2_000) { _, count, _ in min(5, count) } == (4, 0))
        #expect(Self.lengths(2_000) { _, count, _ in max(0, count - 3) } == (4, 0))
    }

    @Test func `ranks of rows at random places stay short`() {
        let found = Self.lengths(2_000) { _, count, random in
            Int.random(in: 0...count, using: &random)
        }
        #expect(found.longest <= 20 && found.rankedAnew == 0)
    }

    @Test func `where neighbours come ever closer, a few rows get new ranks`() {
        // Each new row between the last two.
        var place = 0
        let found = Self.lengths(1_000) { step, count, _ in
            if step % 2 == 1 || count < 2 { place = min(place + 1, count) }
            return place
        }
        #expect(found.longest <= 32)
        #expect((1_000...10_000).contains(found.rankedAnew))
    }

    @Test func `the same calls give the same ranks`() {
        func table() -> OrderedTable<Number> {
            var random = SeededGenerator(seed: 5)
            var table = OrderedTable<Number>()
            for step in 0..<1_000 {
                table.insert(
                    Number(id: step),
                    at: min(table.count, table.count / 2 + Int.random(in: 0...2, using: &random)))
            }
            return table
        }
        #expect(table() == table() && table().rankedAnewForTesting > 0)
        // Ranks are kept in states: these must never change.
        var fixed = OrderedTable((0..<3).map { Number(id: $0) })
        for step in 3..<9 { fixed.insert(Number(id: step), at: 1 + step % 2) }
        fixed.insert(Number(id: 9), at: 0)
        #expect(fixed.map { fixed.rank(of: $0.id)!.text } == Self.fixed)
    }

    // Numbers: 0 is "V", 1 "W", 2 "X", and -1 "U".
    static let fixed = ["U", "V", "VT", "VU", "VUV", "VV", "VW", "W", "WV", "X"]

    @Test func `texts that are no ranks are refused`() {
        for text in ["", "é", "V V", "V\"", "z", "zzzz", "-", "r", "s-", "V7", "6z"] {
            #expect(Rank(text: text) == nil, "\(text)")
        }
        for text in ["V", "W", "VV", "r-", "s--", "7z", "6zz", "VrV"] {
            #expect(Rank(text: text)?.text == text)
        }
    }

    @Test func `every rank is between its neighbours, and its text is read back`() throws {
        var table = OrderedTable((0..<2_000).map { Number(id: $0) })
        for id in 0..<1_000 { table.move(id: id * 2, to: 0) }
        for id in 0..<200 { table.move(id: id * 7, to: 600 + id) }
        let ranks = table.ids.map { table.rank(of: $0)! }
        for (one, other) in zip(ranks, ranks.dropFirst()) {
            #expect(one < other && !(other < one) && one != other)
            #expect(one.text.utf8.lexicographicallyPrecedes(other.text.utf8))
            #expect(Rank(text: one.text) == one)
        }
    }
}
