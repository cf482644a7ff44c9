@testable import Terminal
import Testing

struct TextLayoutTests {
    /// Columns as the wcwidth package for Python (0.7.0) counts them.
    @Test(
        arguments: [
            ("a", 1), ("é", 1), ("e\u{301}", 1), ("日", 2), ("한", 2), ("ｗ", 2), ("…", 1), ("│", 1),
            ("👋", 2), ("🇩🇪", 2), ("👩‍👩‍👧", 2), ("❤️", 2), ("❤", 1), ("⌚", 2), ("😀", 2), ("€", 1),
            ("\u{200D}", 0), ("ß", 1), ("Ω", 1), ("☃", 1), ("✅", 2), ("、", 2), ("ก", 1), ("👍🏽", 2),
        ] as [(Character, Int)])
    func `characters take the columns that terminals give them`(
        character: Character, columns: Int
    ) {
        #expect(character.columns == columns)
    }

    @Test func `text is broken at spaces`() {
        #expect(
            TextLayout.wrap("the quick brown fox", to: 9, limit: 9) == ["the quick", "brown fox"])
        #expect(TextLayout.wrap("a  b", to: 9, limit: 9) == ["a b"])
        #expect(TextLayout.wrap("", to: 9, limit: 9).isEmpty)
    }

    @Test func `a word that is too long is broken anywhere`() {
        #expect(TextLayout.wrap("abcdefgh ij", to: 3, limit: 9) == ["abc", "def", "gh", "ij"])
        #expect(TextLayout.wrap("日本語", to: 5, limit: 9) == ["日本", "語"])
    }

    @Test func `what doesn't fit ends with an ellipsis`() {
        #expect(TextLayout.wrap("one two three four", to: 5, limit: 2) == ["one", "two…"])
        #expect(TextLayout.truncate("abcdef", to: 4) == "abc…")
        #expect(TextLayout.truncate("日本語", to: 4) == "日…")
        #expect(TextLayout.truncate("abcd", to: 4) == "abcd")
        #expect(TextLayout.suffix("日本語", 5) == "本語")
    }

    @Test func `nothing that others wrote reaches the terminal as a command`() {
        let hostile = "a\u{1B}[2Jb\u{9B}31mc\r\nd\u{7}e\u{202E}f\u{2028}g\u{7F}h\u{2066}i"
        #expect(hostile.displayable == "a [2Jb 31mc d ef g hi")
    }

    @Test func `of all control characters and marks that reorder text none is left`() {
        let bad = (0...0x2FFF).compactMap { Unicode.Scalar($0) }.filter { scalar in
            scalar.properties.generalCategory == .control || scalar.properties.isBidiControl
        }
        #expect(bad.count == 65 + 12)
        let left = bad.filter { "a\($0)b".displayable.unicodeScalars.contains($0) }
        #expect(left == [])
    }

    @Test func `a character with a heap of marks keeps twelve scalars`() {
        let heap = "e" + String(repeating: "\u{301}", count: 300)
        #expect(heap.displayable.unicodeScalars.count == 12)
        #expect("👩‍👩‍👧‍👦 é 한국어".displayable == "👩‍👩‍👧‍👦 é 한국어")
    }
}
