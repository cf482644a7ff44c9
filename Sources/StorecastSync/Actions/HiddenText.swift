extension String {
    /// Whether it may be shown as somebody's name: it isn't blank, and has nothing in it that
    /// controls, reorders or hides text.
    ///
    /// The rule is the same in `Clients/Web/parts/names.js`, and in `Tests/Vectors/names.json`. It
    /// goes by code points, so that it doesn't change with a new version of Unicode.
    package var isShowable: Bool { !isBlank && shown.utf8.count == utf8.count }

    /// The text for people: what controls, reorders or hides text is a JSON escape, as `\u202e`; all
    /// of a text that is blank.
    package var shown: String {
        if utf8.allSatisfy({ 0x21...0x7E ~= $0 }) { return self }
        let scalars = Array(unicodeScalars)
        let isBlank = isBlank
        var text = ""
        for (index, scalar) in scalars.enumerated() {
            if !isBlank, !scalar.isHidden || scalars.joinsEmoji(at: index) {
                text.unicodeScalars.append(scalar)
            } else {
                text += scalar.escaped
            }
        }
        return text
    }

    /// Whether nothing can be seen of it.
    package var isBlank: Bool { unicodeScalars.allSatisfy { $0.isSpace || $0.isHidden } }
}

extension Unicode.Scalar {
    /// Whether it does something to the text around it or to a terminal: control characters, line
    /// and paragraph separators, and what decides the direction of text (Unicode Standard Annex 9,
    /// section 2).
    package var controlsText: Bool {
        switch value {
        case 0x00...0x1F, 0x7F...0x9F, 0x061C, 0x200E...0x200F, 0x2028...0x202E, 0x2066...0x2069:
            true
        default: false
        }
    }

    /// As JSON has it in strings, where it means the same.
    package var escaped: String {
        UTF16.encode(self).map { unit in
            unit.map { String($0, radix: 16) }
                .map { "\\u" + String(repeating: "0", count: 4 - $0.count) + $0 }
                .joined()
        } ?? ""
    }

    /// Whether it controls text, or can't be seen: zero-width and filling characters, selectors of
    /// variants, tags.
    fileprivate var isHidden: Bool {
        if controlsText { return true }
        return switch value {
        case 0xAD, 0x034F, 0x115F...0x1160, 0x17B4...0x17B5, 0x180B...0x180F, 0x200B...0x200D: true
        case 0x2060...0x2065, 0x206A...0x206F, 0x2800, 0x3164, 0xFE00...0xFE0F, 0xFEFF, 0xFFA0,
            0xFFF0...0xFFFB:
            true
        case 0x1BCA0...0x1BCA3, 0x1D173...0x1D17A, 0xE0000...0xE0FFF: true
        default: false
        }
    }

    fileprivate var isSpace: Bool {
        switch value {
        case 0x20, 0xA0, 0x1680, 0x2000...0x200A, 0x202F, 0x205F, 0x3000: true
        default: false
        }
    }

    fileprivate var isEmoji: Bool {
        switch value {
        case 0xA9, 0xAE, 0x203C, 0x2049, 0x2122, 0x2139, 0x2190...0x27FF, 0x2900...0x2BFF: true
        case 0x3030, 0x303D, 0x3297, 0x3299, 0x1F000...0x1FAFF: true
        default: false
        }
    }
}

extension [Unicode.Scalar] {
    /// Whether it makes one emoji of others: the selector behind one, and the joiner between two.
    fileprivate func joinsEmoji(at index: Int) -> Bool {
        guard index > 0 else { return false }
        let (before, value) = (self[index - 1], self[index].value)
        if value == 0xFE0F { return before.isEmoji }
        guard value == 0x200D, index + 1 < count, self[index + 1].isEmoji else { return false }
        return before.isEmoji || before.value == 0xFE0F && joinsEmoji(at: index - 1)
    }
}
