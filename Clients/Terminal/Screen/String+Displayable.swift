import StorecastSync

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
            if scalars.contains(where: { $0.controlsText && !$0.isDirectional }) {
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
    /// Of those that control text, the marks that have no place of their own.
    fileprivate var isDirectional: Bool {
        controlsText
            && ![.control, .lineSeparator, .paragraphSeparator]
                .contains(properties.generalCategory)
    }
}
