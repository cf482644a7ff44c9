/// Where two arrays differ: runs of elements between those that have the same memory.
struct ElementGaps {
    /// Elements of the old array, in whose place those of the new one are. One may be empty.
    struct Gap {
        let old: Range<Int>
        let new: Range<Int>
    }

    private(set) var all: [Gap] = []

    /// How far ahead the end of a gap is looked for. Beyond that the rest is one gap.
    private static let reach = 16

    /// Complexity: linear, but without looking into the elements.
    init<Element>(from old: [Element], to new: [Element]) {
        old.withUnsafeBufferPointer { old in
            new.withUnsafeBufferPointer { new in
                if old.baseAddress == new.baseAddress, old.count == new.count { return }
                find(from: old, to: new)
            }
        }
    }

    private mutating func find<Element>(
        from old: UnsafeBufferPointer<Element>, to new: UnsafeBufferPointer<Element>
    ) {
        guard let oldStart = old.baseAddress, let newStart = new.baseAddress else {
            return add(0..<old.count, 0..<new.count)
        }
        func isSame(_ oldIndex: Int, _ newIndex: Int) -> Bool {
            isSameMemory(oldStart + oldIndex, newStart + newIndex)
        }
        var at = 0
        while at < min(old.count, new.count), isSame(at, at) { at += 1 }
        var (oldEnd, newEnd) = (old.count, new.count)
        while oldEnd > at, newEnd > at, isSame(oldEnd - 1, newEnd - 1) {
            (oldEnd, newEnd) = (oldEnd - 1, newEnd - 1)
        }
        // Of a few elements, encoding them finds the smallest patch.
        if max(oldEnd, newEnd) - at <= Self.reach { return add(at..<oldEnd, at..<newEnd) }
        var (oldAt, newAt) = (at, at)
        while oldAt < oldEnd || newAt < newEnd {
            let gap = Self.gap(oldAt..<oldEnd, newAt..<newEnd, isSame)
            add(gap.old, gap.new)
            (oldAt, newAt) = (gap.old.upperBound, gap.new.upperBound)
            while oldAt < oldEnd, newAt < newEnd, isSame(oldAt, newAt) {
                (oldAt, newAt) = (oldAt + 1, newAt + 1)
            }
        }
    }

    /// The gap at the beginning of two runs: until the first elements that are the same, after as
    /// many that changed, were inserted or were removed.
    private static func gap(
        _ old: Range<Int>, _ new: Range<Int>, _ isSame: (Int, Int) -> Bool
    ) -> Gap {
        for step in 1...reach {
            for (oldStep, newStep) in [(step, step), (0, step), (step, 0)] {
                let (oldEnd, newEnd) = (old.lowerBound + oldStep, new.lowerBound + newStep)
                if old.contains(oldEnd), new.contains(newEnd), isSame(oldEnd, newEnd) {
                    return Gap(old: old.lowerBound..<oldEnd, new: new.lowerBound..<newEnd)
                }
            }
        }
        return Gap(old: old, new: new)
    }

    private mutating func add(_ old: Range<Int>, _ new: Range<Int>) {
        if !old.isEmpty || !new.isEmpty { all.append(Gap(old: old, new: new)) }
    }

    /// The gap, if there is no other; an empty one if there is none.
    var only: Gap? {
        all.count < 2 ? all.first ?? Gap(old: 0..<0, new: 0..<0) : nil
    }

    /// Whether an element went from one gap to another, by the names of all that are in gaps.
    func areCrossed(by names: JSONElementNames) -> Bool {
        var gapOfName: [Int: Int] = [:]
        var names = (old: names.old[...], new: names.new[...])
        for (index, gap) in all.enumerated() {
            for name in names.old.prefix(gap.old.count) { gapOfName[name] = index }
            names.old = names.old.dropFirst(gap.old.count)
        }
        for (index, gap) in all.enumerated() {
            for name in names.new.prefix(gap.new.count) where gapOfName[name] ?? index != index {
                return true
            }
            names.new = names.new.dropFirst(gap.new.count)
        }
        return false
    }

    /// A run of elements with a name for each.
    struct Run {
        var values: [JSON] = []
        var names: [Int] = []

        fileprivate mutating func take(
            _ count: Int, _ values: inout ArraySlice<JSON>, _ names: inout ArraySlice<Int>
        ) {
            self.values += values.prefix(count)
            self.names += names.prefix(count)
            (values, names) = (values.dropFirst(count), names.dropFirst(count))
        }
    }

    /// From the first gap to the last one: the elements in gaps, and null for each other, which has
    /// a name of its own.
    func filled(
        _ old: [JSON], _ new: [JSON], _ names: JSONElementNames
    ) -> (old: Run, new: Run, start: Int) {
        var (before, after) = (Run(), Run())
        var rest = (old: old[...], new: new[...])
        var restNames = (old: names.old[...], new: names.new[...])
        let start = all.first?.old.lowerBound ?? 0
        var at = start
        // Those of elements are positive.
        var name = 0
        for gap in all {
            for _ in at..<gap.old.lowerBound {
                name -= 1
                before.values.append(.null)
                after.values.append(.null)
                before.names.append(name)
                after.names.append(name)
            }
            before.take(gap.old.count, &rest.old, &restNames.old)
            after.take(gap.new.count, &rest.new, &restNames.new)
            at = gap.old.upperBound
        }
        return (before, after, start)
    }
}
