/// One line of text that is being typed.
struct LineEditor: Equatable, Sendable {
    private var characters: [Character]
    /// Where the next character goes, from 0 to the number of characters.
    private(set) var cursor: Int
    private let limit: Int

    /// A line that begins as `text`, with the cursor at its end.
    ///
    /// - Parameter limit: the most Unicode scalars that the line takes.
    init(_ text: String = "", limit: Int) {
        characters = Array(text)
        cursor = characters.count
        self.limit = limit
    }

    var text: String { String(characters) }

    /// How many Unicode scalars stand before the cursor.
    var scalarsBeforeCursor: Int { String(characters[..<cursor]).unicodeScalars.count }

    /// Puts another text in the line, whatever the limit, and the cursor behind so many scalars.
    mutating func replaceText(with text: String, scalarsBeforeCursor count: Int) {
        characters = Array(text)
        cursor = min(String(text.unicodeScalars.prefix(count)).count, characters.count)
    }

    /// Takes a key that edits; false for any other.
    mutating func take(_ key: Key) -> Bool {
        switch key {
        case .character(let character): insert(String(character))
        case .paste(let text): insert(text)
        case .backspace:
            if cursor > 0 {
                cursor -= 1
                characters.remove(at: cursor)
            }
        case .delete: if cursor < characters.count { characters.remove(at: cursor) }
        case .left: cursor = max(cursor - 1, 0)
        case .right: cursor = min(cursor + 1, characters.count)
        case .home, .control("a"): cursor = 0
        case .end, .control("e"): cursor = characters.count
        case .control("u"):
            characters.removeSubrange(..<cursor)
            cursor = 0
        case .control("w"): removeWord()
        default: return false
        }
        return true
    }

    /// Inserts a text whose line breaks and control characters become spaces.
    private mutating func insert(_ text: String) {
        let clean = text.displayable
        let room = limit - self.text.unicodeScalars.count
        guard clean.unicodeScalars.count <= room else { return }
        // Joined anew, as what is typed may combine with what is there.
        let head = String(characters[..<cursor]) + clean
        let tail = String(characters[cursor...])
        characters = Array(head + tail)
        cursor = min(head.count, characters.count)
    }

    private mutating func removeWord() {
        let old = cursor
        while cursor > 0, characters[cursor - 1].isWhitespace { cursor -= 1 }
        while cursor > 0, !characters[cursor - 1].isWhitespace { cursor -= 1 }
        characters.removeSubrange(cursor..<old)
    }
}
