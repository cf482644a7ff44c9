@testable import Terminal
import Testing

struct CanvasTests {
    @Test func `text is cut off at the edges`() {
        var canvas = Canvas(width: 5, height: 2)
        #expect(canvas.write("abc", row: 0, column: 3) == 5)
        canvas.write("日本", row: 1, column: 2)
        canvas.write("x", row: 2, column: 0)
        canvas.write("x", row: -1, column: 0)
        #expect(canvas.lines == ["   ab", "  日"])
    }

    @Test func `half of a wide character doesn't stay`() {
        var canvas = Canvas(width: 6, height: 1)
        canvas.write("日本語", row: 0, column: 0)
        canvas.write("x", row: 0, column: 1)
        #expect(canvas.lines == [" x本語"])
        canvas.write("y", row: 0, column: 2)
        #expect(canvas.lines == [" xy 語"])
    }

    @Test func `control characters can't be written`() {
        var canvas = Canvas(width: 10, height: 1)
        canvas.write("a\u{1B}[2J", row: 0, column: 0)
        #expect(canvas.lines == ["a [2J"])
        let sent = canvas.update(from: Canvas(width: 10, height: 1))
        #expect(!sent.contains("\u{1B}[2J"))
    }

    @Test func `an update holds the rows that differ, and nothing if none does`() {
        var old = Canvas(width: 4, height: 3)
        old.write("same", row: 0, column: 0)
        var new = old
        #expect(new.update(from: old) == "")
        new.write("new", row: 2, column: 0)
        let sent = new.update(from: old)
        #expect(sent.contains("\u{1B}[3;1H"))
        #expect(sent.contains("new"))
        #expect(!sent.contains("same"))
    }

    @Test func `a screen of another size is drawn as a whole`() {
        let sent = Canvas(width: 4, height: 2).update(from: Canvas(width: 5, height: 2))
        #expect(sent.contains("\u{1B}[2J"))
        #expect(sent.contains("\u{1B}[1;1H"))
        #expect(sent.contains("\u{1B}[2;1H"))
    }

    @Test func `the cursor shows where it is put`() {
        var canvas = Canvas(width: 4, height: 2)
        let before = canvas
        canvas.cursor = Canvas.Place(row: 1, column: 2)
        #expect(canvas.update(from: before).contains("\u{1B}[2;3H\u{1B}[?25h"))
        #expect(!before.update(from: canvas).contains("\u{1B}[?25h"))
    }
}
