extension Character {
    /// How many columns the character takes in a terminal: 0, 1 or 2.
    ///
    /// Wide are the East Asian ones (Unicode Standard Annex 11) and emoji.
    var columns: Int {
        let scalars = unicodeScalars
        guard let first = scalars.first else { return 0 }
        if first.value < 0x300, scalars.count == 1 {
            return first.value == 0xAD ? 0 : 1
        }
        if first.isWide || scalars.contains("\u{FE0F}") || first.isRegionalIndicator { return 2 }
        return first.takesNoColumn ? 0 : 1
    }

    /// Whether terminals may disagree about ``columns``.
    var isUncertain: Bool {
        unicodeScalars.count > 1 || (unicodeScalars.first?.value ?? 0) >= 0x2000
    }
}

extension Unicode.Scalar {
    fileprivate var isRegionalIndicator: Bool { (0x1F1E6...0x1F1FF).contains(value) }

    fileprivate var takesNoColumn: Bool {
        switch properties.generalCategory {
        case .nonspacingMark, .enclosingMark, .format, .control: true
        default: (0x1160...0x11FF).contains(value)
        }
    }

    fileprivate var isWide: Bool {
        switch value {
        case 0x1100...0x115F, 0x2E80...0x303E, 0x3041...0x3247, 0x3250...0x4DBF,
            0x4E00...0xA4CF, 0xA960...0xA97C, 0xAC00...0xD7A3, 0xF900...0xFAFF, 0xFE10...0xFE19,
            0xFE30...0xFE6F, 0xFF01...0xFF60, 0xFFE0...0xFFE6, 0x16FE0...0x18CFF,
            0x1AFF0...0x1B2FB, 0x1F200...0x1F265, 0x20000...0x3FFFD, 0x2329, 0x232A:
            true
        default: properties.isEmojiPresentation
        }
    }
}
