@testable import Terminal
import Testing

struct KeyParserTests {
    private static let cases: [(String, [Key])] = [
        ("aé👋?", [.character("a"), .character("é"), .character("👋"), .character("?")]),
        ("\u{1B}[A\u{1B}[B\u{1B}[C\u{1B}[D", [.up, .down, .right, .left]),
        ("\u{1B}OA\u{1B}OH\u{1B}OF", [.up, .home, .end]),
        ("\u{1B}[1;2A\u{1B}[1;2D\u{1B}[1;5C", [.shiftUp, .shiftLeft, .right]),
        (
            "\u{1B}[3~\u{1B}[5~\u{1B}[6~\u{1B}[1~\u{1B}[4~",
            [.delete, .pageUp, .pageDown, .home, .end]
        ),
        ("\r\n\t\u{7F}\u{3}", [.enter, .enter, .tab, .backspace, .control("c")]),
        (
            "\u{1B}[200~two\nlines\u{1B}[A\u{1B}[201~x",
            [.paste("two\nlines\u{1B}[A"), .character("x")]
        ),
        // Sequences that mean nothing here are skipped whole.
        ("\u{1B}[?62;4cq\u{1B}[99~\u{1B}[12;34R", [.character("q")]),
        ("\u{1B}\u{1B}[A", [.escape, .up]),
        ("\u{1B}a", [.escape, .character("a")]),
    ]

    @Test(arguments: cases)
    func `keys are read from what terminals send`(text: String, keys: [Key]) {
        var parser = KeyParser()
        #expect(parser.parse(text.utf8) == keys)
        #expect(!parser.isWaiting)
    }

    @Test(arguments: cases)
    func `keys are the same when every byte comes alone`(text: String, keys: [Key]) {
        var parser = KeyParser()
        #expect(text.utf8.flatMap { parser.parse([$0]) } == keys)
    }

    @Test func `an escape that nothing follows is a key once it is flushed`() {
        var parser = KeyParser()
        #expect(parser.parse([0x1B]).isEmpty)
        #expect(parser.isWaiting)
        #expect(parser.flush() == [.escape])
        #expect(parser.flush().isEmpty)
    }

    @Test func `an arrow whose bytes come late is still an arrow`() {
        var parser = KeyParser()
        #expect(parser.parse([0x1B, UInt8(ascii: "[")]).isEmpty)
        #expect(parser.flush().isEmpty)
        #expect(parser.parse([UInt8(ascii: "A")]) == [.up])
    }

    @Test func `bytes that aren't UTF-8 are dropped, and what follows is read`() {
        var parser = KeyParser()
        #expect(parser.parse([0xFF, 0x61]) == [.character("a")])
        #expect(parser.parse([0xE2, 0x82, 0x62]) == [.character("b")])
        #expect(parser.parse([0xC0, 0x80, 0x63]) == [.character("c")])
        #expect(parser.parse([0xED, 0xA0, 0x80, 0x64]) == [.character("d")])
    }

    @Test func `a paste without an end stays within its limit`() throws {
        var parser = KeyParser()
        let much = Array("\u{1B}[200~".utf8) + Array(repeating: UInt8(ascii: "x"), count: 20_000)
        #expect(parser.parse(much).isEmpty)
        let keys = parser.parse("\u{1B}[201~".utf8)
        #expect(keys == [.paste(String(repeating: "x", count: 16_384))])
    }
}
