/// What makes one text of another, with whole words left as they are or replaced.
///
/// Words, because letters that two words happen to share would mingle with what others make of the
/// same word at the same time. The JavaScript client finds the same changes.
struct TextDifference {
    /// How many pairs of words are compared at most.
    private static let mostPairs = 1_000_000

    private let old: [Unicode.Scalar]
    private let new: [Unicode.Scalar]

    init(from old: String, to new: String) {
        self.old = Array(old.unicodeScalars)
        self.new = Array(new.unicodeScalars)
    }

    /// In the order of the text; at most ``TextEdit/mostChanges``.
    var changes: [TextChange] {
        guard let whole = trimmed(0..<old.count, 0..<new.count) else { return [] }
        var (start, end) = (whole.at, whole.at + whole.delete)
        // To where the words begin and end that differ.
        while start > 0, Self.isLetter(old[start - 1]) { start -= 1 }
        while end < old.count, Self.isLetter(old[end]) { end += 1 }
        let from = start..<end
        let to = start..<new.count - (old.count - end)
        let (words, newWords) = (Self.words(of: old, in: from), Self.words(of: new, in: to))
        let one = [change(from, to) ?? whole]
        guard words.count * newWords.count <= Self.mostPairs else { return one }
        let changes = changes(from, words, to, newWords)
        return changes.count <= TextEdit.mostChanges ? changes : one
    }

    /// A part of the old text becomes one of the new. A word to which letters are added, or of
    /// which some are taken, keeps the others; everything else is replaced as it is.
    private func change(_ from: Range<Int>, _ to: Range<Int>) -> TextChange? {
        guard let found = trimmed(from, to) else { return nil }
        let isGrown = found.delete == 0 || found.insert.isEmpty
        if isGrown, old[from].allSatisfy(Self.isLetter), new[to].allSatisfy(Self.isLetter) {
            return found
        }
        var insert = ""
        insert.unicodeScalars.append(contentsOf: new[to])
        return TextChange(at: from.lowerBound, delete: from.count, insert: insert)
    }

    /// A part of the old text becomes one of the new, less what both begin and end with.
    private func trimmed(_ from: Range<Int>, _ to: Range<Int>) -> TextChange? {
        let most = min(from.count, to.count)
        var start = 0
        while start < most, old[from.lowerBound + start] == new[to.lowerBound + start] {
            start += 1
        }
        var end = 0
        while end < most - start, old[from.upperBound - 1 - end] == new[to.upperBound - 1 - end] {
            end += 1
        }
        guard start + end < max(from.count, to.count) else { return nil }
        var insert = ""
        insert.unicodeScalars.append(contentsOf: new[to].dropFirst(start).dropLast(end))
        return TextChange(
            at: from.lowerBound + start, delete: from.count - start - end, insert: insert)
    }

    /// Runs of letters and digits; everything else is a word by itself, as are the characters of
    /// scripts without spaces. By ranges: not all machines know the same Unicode.
    private static func words(of text: [Unicode.Scalar], in range: Range<Int>) -> [Range<Int>] {
        var words: [Range<Int>] = []
        for place in range {
            if let last = words.last, isLetter(text[place]), isLetter(text[place - 1]) {
                words[words.count - 1] = last.lowerBound..<place + 1
            } else {
                words.append(place..<place + 1)
            }
        }
        return words
    }

    private static func isLetter(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0x30...0x39, 0x41...0x5A, 0x5F, 0x61...0x7A, 0xC0...0x1FFF, 0x2C00...0x2DFF: true
        default: false
        }
    }

    /// Leaves the longest sequence of words that both ranges have.
    private func changes(
        _ from: Range<Int>, _ words: [Range<Int>], _ to: Range<Int>, _ newWords: [Range<Int>]
    ) -> [TextChange] {
        let common = CommonWords(words.map { old[$0] }, newWords.map { new[$0] })
        var changes: [TextChange] = []
        var (i, j) = (0, 0)
        // Where what isn't left begins.
        var (start, newStart) = (from.lowerBound, to.lowerBound)
        func close(_ end: Int, _ newEnd: Int) {
            if let change = change(start..<end, newStart..<newEnd) { changes.append(change) }
        }
        while i < words.count || j < newWords.count {
            guard common.isLeft(i, j) else {
                if common.isDeleted(i, j) { i += 1 } else { j += 1 }
                continue
            }
            close(words[i].lowerBound, newWords[j].lowerBound)
            (start, newStart) = (words[i].upperBound, newWords[j].upperBound)
            i += 1
            j += 1
        }
        close(from.upperBound, to.upperBound)
        return changes
    }
}

/// How much two sequences of words have in common, from any two places on.
private struct CommonWords {
    private let old: [ArraySlice<Unicode.Scalar>]
    private let new: [ArraySlice<Unicode.Scalar>]
    /// In scalars.
    private var lengths: [Int]

    init(_ old: [ArraySlice<Unicode.Scalar>], _ new: [ArraySlice<Unicode.Scalar>]) {
        (self.old, self.new) = (old, new)
        lengths = [Int](repeating: 0, count: (old.count + 1) * (new.count + 1))
        for i in old.indices.reversed() {
            for j in new.indices.reversed() {
                let isSame = old[i] == new[j]
                lengths[place(i, j)] = max(
                    lengths[place(i + 1, j)], lengths[place(i, j + 1)],
                    isSame ? lengths[place(i + 1, j + 1)] + old[i].count : 0)
            }
        }
    }

    private func place(_ i: Int, _ j: Int) -> Int { i * (new.count + 1) + j }

    /// Whether the words at these places are one that is left.
    func isLeft(_ i: Int, _ j: Int) -> Bool {
        i < old.count && j < new.count && old[i] == new[j]
            && lengths[place(i, j)] == lengths[place(i + 1, j + 1)] + old[i].count
    }

    /// Whether the old word goes, or else the new one comes.
    func isDeleted(_ i: Int, _ j: Int) -> Bool {
        j == new.count
            || (i < old.count && lengths[place(i + 1, j)] >= lengths[place(i, j + 1)])
    }
}
