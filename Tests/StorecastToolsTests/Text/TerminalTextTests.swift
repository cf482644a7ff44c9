import StorecastSync
import Testing

@testable import StorecastTools

/// What others wrote can't control the terminal in which an operator reads it.
struct TerminalTextTests {
    /// All code points below those of Chinese, where every control character is, and some others.
    private static let scalars = [0...0x2FFF, 0xE000...0x103FF, 0xE0000...0xE01FF].joined()
        .compactMap { Unicode.Scalar(UInt32($0)) }

    private static func isHarmless(_ scalar: Unicode.Scalar) -> Bool {
        if scalar == "\n" || scalar == "\t" { return true }
        return ![.control, .lineSeparator, .paragraphSeparator]
            .contains(scalar.properties.generalCategory) && !scalar.properties.isBidiControl
    }

    @Test func `control characters, C0, DEL and C1, and marks that reorder text are escaped`() {
        let wrong = Self.scalars.filter { scalar in
            let text = String(Character(scalar))
            return text.terminalSafe.isSameText(as: text) != Self.isHarmless(scalar)
        }
        #expect(wrong.map { String($0.value, radix: 16) } == [])
    }

    @Test func `inside JSON an escape means the same`() throws {
        // What a text in JSON may have as it is.
        let scalars = Self.scalars.filter { $0.value >= 0x20 && $0 != "\"" && $0 != "\\" }
        let text = String(String.UnicodeScalarView(scalars))
        let document = try JSONDocument(Array("\"\(text.terminalSafe)\"".utf8))
        #expect(document.root.json.string?.isSameText(as: text) == true)
    }

    @Test(arguments: [
        ("\u{1B}[2J", #"\u001b[2J"#), ("a\u{9B}2Jb", #"a\u009b2Jb"#), ("\u{85}", #"\u0085"#),
        ("\u{7F}", #"\u007f"#), ("\u{202E}x", #"\u202ex"#), ("\r\n", "\\u000d\n"),
        ("Grüße\t日本\n", "Grüße\t日本\n"), ("", ""), ("e\u{301}", "e\u{301}"),
    ])
    func `what is escaped can be read, and the rest is as it was`(text: String, shown: String) {
        #expect(text.terminalSafe.isSameText(as: shown))
    }

    @Test func `a line stays one line`() {
        #expect("a\nb\r\nc\td".onOneLine == #"a\nb\r\nc\td"#)
    }
}
