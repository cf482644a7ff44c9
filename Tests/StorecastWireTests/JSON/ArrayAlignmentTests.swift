import Testing

@testable import StorecastWire

@Suite struct ArrayAlignmentTests {
    private func carryOut(_ steps: [ArrayAlignment.Step], on old: [Int], new: [Int]) -> [Int] {
        var list = old
        for step in steps {
            switch step {
            case .remove(let index): list.remove(at: index)
            case .insert(let source, let index): list.insert(new[source], at: index)
            case .move(let from, let to): list.insert(list.remove(at: from), at: to)
            }
        }
        return list
    }

    @Test func `one element inserted, removed or moved is one step`() {
        let list = [1, 2, 3, 4, 5]
        #expect(ArrayAlignment(from: list, to: [1, 2, 9, 3, 4, 5]).steps == [.insert(2, at: 2)])
        #expect(ArrayAlignment(from: list, to: [1, 2, 4, 5]).steps == [.remove(2)])
        #expect(ArrayAlignment(from: list, to: [2, 3, 4, 5, 1]).steps == [.move(from: 0, to: 4)])
        #expect(ArrayAlignment(from: list, to: [5, 1, 2, 3, 4]).steps == [.move(from: 4, to: 0)])
        #expect(ArrayAlignment(from: list, to: list).steps.isEmpty)
    }

    @Test func `what goes and what comes in one place is a change in place`() {
        let alignment = ArrayAlignment(from: [1, 2, 3], to: [1, 9, 3])
        #expect(alignment.steps.isEmpty)
        #expect(alignment.pairs.map(\.old) == [0, 1, 2])
        #expect(alignment.pairs.map(\.new) == [0, 1, 2])
    }

    @Test func `the steps and pairs make any list any other`() {
        for seed in 0..<4000 {
            var random = SeededRandom(UInt64(seed))
            let names = Array(0..<(1 + random.below(14)))
            let old = Array(names.shuffled(using: &random).prefix(random.below(names.count + 1)))
            let new = Array(names.shuffled(using: &random).prefix(random.below(names.count + 1)))
            let alignment = ArrayAlignment(from: old, to: new)
            var list = carryOut(alignment.steps, on: old, new: new)
            #expect(list.count == new.count, "seed \(seed)")
            guard list.count == new.count else { continue }
            for pair in alignment.pairs where list[pair.new] == old[pair.old] {
                list[pair.new] = new[pair.new]
            }
            #expect(list == new, "seed \(seed)")
        }
    }

    @Test func `only those outside the longest run move`() {
        let alignment = ArrayAlignment(from: [1, 2, 3, 4, 5, 6], to: [6, 2, 4, 1, 5, 3])
        #expect(alignment.steps.count == 3)
    }
}
