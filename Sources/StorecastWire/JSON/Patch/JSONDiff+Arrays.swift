extension JSONDiff {
    mutating func compare(_ old: [JSON], _ new: [JSON]) {
        let shorter = min(old.count, new.count)
        var start = 0
        while start < shorter, old[start] == new[start] { start += 1 }
        if start == old.count, start == new.count { return }
        var (oldEnd, newEnd) = (old.count, new.count)
        while oldEnd > start, newEnd > start, old[oldEnd - 1] == new[newEnd - 1] {
            (oldEnd, newEnd) = (oldEnd - 1, newEnd - 1)
        }
        let before = old[start..<oldEnd]
        let after = new[start..<newEnd]
        if before.count == 1, after.count == 1 {
            return compare(old[start], new[start], at: String(start))
        }
        rearrange(before, after)
    }

    /// Makes one run of elements another.
    private mutating func rearrange(_ old: ArraySlice<JSON>, _ new: ArraySlice<JSON>) {
        let start = old.startIndex
        let names = JSONElementNames(old, new)
        let alignment = ArrayAlignment(from: names.old, to: names.new)
        for step in alignment.steps {
            switch step {
            case .remove(let index):
                emit(.remove(path: pointer(String(start + index))))
            case .insert(let source, let index):
                emit(.add(path: pointer(String(start + index)), value: new[start + source]))
            case .move(let from, let index):
                let from = pointer(String(start + from))
                emit(.move(from: from, path: pointer(String(start + index))))
            }
        }
        for (oldIndex, newIndex) in alignment.pairs {
            compare(old[start + oldIndex], new[start + newIndex], at: String(start + newIndex))
        }
    }
}
