@testable import Terminal
import Testing

struct LineEditorTests {
    private func edit(_ text: String, _ keys: Key..., limit: Int = 20) -> LineEditor {
        var line = LineEditor(text, limit: limit)
        for key in keys { _ = line.take(key) }
        return line
    }

    @Test func `characters go where the cursor is`() {
        let line = edit("ac", .left, .character("b"))
        #expect(line.text == "abc")
        #expect(line.cursor == 2)
        #expect(edit("bc", .home, .character("a"), .end, .character("d")).text == "abcd")
    }

    @Test func `backspace and delete take one character, whatever it is made of`() {
        #expect(edit("a👩‍👩‍👧", .backspace).text == "a")
        #expect(edit("ab", .home, .delete).text == "b")
        #expect(edit("", .backspace, .delete).text == "")
    }

    @Test func `control keys go to the ends and remove words`() {
        #expect(edit("one two  ", .control("w")).text == "one ")
        #expect(edit("one two", .control("u")).text == "")
        #expect(edit("bc", .control("a"), .character("a"), .control("e")).cursor == 3)
    }

    @Test func `a paste comes in clean, as one line`() {
        #expect(edit("", .paste("a\nb\u{1B}[2Jc\u{202E}")).text == "a b [2Jc")
    }

    @Test func `a line takes no more than its limit`() {
        #expect(edit("abc", .character("d"), limit: 3).text == "abc")
        #expect(edit("ab", .paste("cd"), limit: 3).text == "ab")
    }

    /// The server counts Unicode scalars: what looks like one character may be several.
    @Test(arguments: ["x", "é", "e\u{301}", "🇦🇹", "👍🏽", "👩‍👩‍👧"])
    func `a character counts as often as the server counts it`(character: Character) {
        let length = character.unicodeScalars.count
        for count in 1...4 {
            let text = String(repeating: character, count: count)
            let paste = Key.paste(String(character))
            for key in [.character(character), paste] {
                #expect(edit(text, key, limit: length * (count + 1)).text.count == count + 1)
                #expect(edit(text, key, limit: length * (count + 1) - 1).text == text)
            }
        }
    }

    @Test func `an accent joins the letter before it`() {
        let line = edit("e", .character("\u{301}"))
        #expect(line.text == "é")
        #expect(line.cursor == 1)
    }

    @Test func `another text is put in its place, with the cursor where it is said`() {
        var line = edit("e\u{301}a", .left)
        #expect(line.scalarsBeforeCursor == 2)
        line.replaceText(with: "ae\u{301}a", scalarsBeforeCursor: 3)
        #expect(line.cursor == 2)
        _ = line.take(.character("b"))
        #expect(line.text == "ae\u{301}ba")
        line.replaceText(with: "a", scalarsBeforeCursor: 9)
        #expect(line.cursor == 1)
    }

    @Test func `other keys aren't edits`() {
        var line = LineEditor("a", limit: 5)
        let taken = [Key.enter, .up, .escape].filter { line.take($0) }
        #expect(taken.isEmpty)
        #expect(line.text == "a")
    }
}
