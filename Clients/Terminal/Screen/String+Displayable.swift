extension String {
    /// The text with everything taken out that would make a terminal do something.
    ///
    /// What others wrote may hold escape sequences. Control characters (C0, DEL and C1), line and
    /// paragraph separators become spaces; marks that reorder text (bidirectional controls) are
    /// left out, and so are marks beyond twelve on one character.
    var displayable: String {
        if utf8.allSatisfy({ (0x20...0x7E).contains($0) }) { return self }
        var result = ""
        for character in self {
            let scalars = character.unicodeScalars
            if scalars.contains(where: \.isControl) {
                // A carriage return and its line feed are one character.
                result.append(" ")
                continue
            }
            for scalar in scalars.prefix(Self.mostScalars) where !scalar.isDirectional {
                result.unicodeScalars.append(scalar)
            }
        }
        return result
    }

    private static let mostScalars = 12
}

extension Unicode.Scalar {
    fileprivate var isControl: Bool {
        switch properties.generalCategory {
        case .control, .lineSeparator, .paragraphSeparator: true
        default: false
        }
    }

    /// Unicode Standard Annex 9, section 2.
    fileprivate var isDirectional: Bool {
        switch value {
        case 0x061C, 0x200E...0x200F, 0x202A...0x202E, 0x2066...0x2069: true
        default: false
        }
    }
}
