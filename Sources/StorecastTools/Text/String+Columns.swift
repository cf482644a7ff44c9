extension String {
    /// The text with spaces behind it, or before it, so that it takes `width` characters at least.
    func column(_ width: Int, alignedRight: Bool = false) -> String {
        let space = String(repeating: " ", count: max(0, width - count))
        return alignedRight ? space + self : self + space
    }

    /// The text on one line: line breaks and tabs as JSON escapes.
    var onOneLine: String {
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
