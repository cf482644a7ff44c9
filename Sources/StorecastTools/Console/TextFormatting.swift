extension String {
    /// The text without anything that makes a terminal do something: control characters other
    /// than line feed and tab are written as JSON escapes, which inside JSON mean the same.
    package var terminalSafe: String {
        guard unicodeScalars.contains(where: \.isDangerous) else { return self }
        var text = ""
        for scalar in unicodeScalars {
            guard scalar.isDangerous else {
                text.unicodeScalars.append(scalar)
                continue
            }
            let digits = String(scalar.value, radix: 16)
            text += "\\u" + String(repeating: "0", count: max(4 - digits.count, 0)) + digits
        }
        return text
    }
}

extension Unicode.Scalar {
    fileprivate var isDangerous: Bool {
        switch value {
        case 0x09, 0x0A: false
        case 0x00...0x1F, 0x7F...0x9F: true
        // Marks that reorder text (Unicode Standard Annex 9).
        case 0x200E...0x200F, 0x202A...0x202E, 0x2066...0x2069, 0x061C: true
        default: false
        }
    }
}
