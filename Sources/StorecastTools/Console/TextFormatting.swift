import StorecastPlatform
import StorecastSync

extension String {
    /// The text with control characters other than line feed and tab as JSON escapes, so that it
    /// can't control a terminal. Inside JSON the escapes mean the same.
    package var terminalSafe: String {
        guard unicodeScalars.contains(where: \.isDangerous) else { return self }
        var text = ""
        for scalar in unicodeScalars {
            guard scalar.isDangerous else {
                text.unicodeScalars.append(scalar)
                continue
            }
            text += scalar.escaped
        }
        return text
    }
}

extension Unicode.Scalar {
    fileprivate var isDangerous: Bool {
        controlsText && self != "\t" && self != "\n"
    }
}

extension String {
    /// The text padded with spaces to at least `width` characters.
    package func column(_ width: Int, alignedRight: Bool = false) -> String {
        let space = String(repeating: " ", count: max(0, width - count))
        return alignedRight ? space + self : self + space
    }

    /// The text on one line: line breaks and tabs as JSON escapes.
    package var onOneLine: String {
        var text = ""
        for scalar in unicodeScalars {
            switch scalar {
            case "\n": text += "\\n"
            case "\r": text += "\\r"
            case "\t": text += "\\t"
            default: text.unicodeScalars.append(scalar)
            }
        }
        return text
    }
}

extension Int {
    /// `1 entry`, `2 entries`.
    package func counting(_ one: String, _ many: String) -> String {
        "\(self) \(self == 1 ? one : many)"
    }
}
