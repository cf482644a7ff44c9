/// The escape sequences of strings (RFC 8259 §7).
enum JSONEscape {
    /// The code unit of `\uXXXX` at `at`; nil if that isn't what is there.
    static func codeUnit(_ text: UnsafePointer<UInt8>, _ at: Int, _ end: Int) -> UInt16? {
        guard at + 6 <= end, text[at] == UInt8(ascii: "\\"), text[at + 1] == UInt8(ascii: "u")
        else { return nil }
        var unit: UInt16 = 0
        for index in 2..<6 {
            let byte = text[at + index]
            let digit: UInt8
            switch byte {
            case UInt8(ascii: "0")...UInt8(ascii: "9"): digit = byte - UInt8(ascii: "0")
            case UInt8(ascii: "a")...UInt8(ascii: "f"): digit = byte - UInt8(ascii: "a") + 10
            case UInt8(ascii: "A")...UInt8(ascii: "F"): digit = byte - UInt8(ascii: "A") + 10
            default: return nil
            }
            unit = unit << 4 | UInt16(digit)
        }
        return unit
    }

    /// Writes the text of a string's scanned content, which is never longer than the content.
    ///
    /// - Returns: the number of bytes written.
    static func unescape(
        _ content: UnsafeBufferPointer<UInt8>, into target: UnsafeMutableBufferPointer<UInt8>
    ) -> Int {
        guard let text = content.baseAddress else { return 0 }
        var at = 0
        var written = 0
        while at < content.count {
            let byte = text[at]
            guard byte == UInt8(ascii: "\\") else {
                target[written] = byte
                (at, written) = (at + 1, written + 1)
                continue
            }
            if let short = shortForm(text[at + 1]) {
                target[written] = short
                (at, written) = (at + 2, written + 1)
                continue
            }
            var scalar = UInt32(codeUnit(text, at, content.count) ?? 0xfffd)
            at += 6
            if scalar & 0xfc00 == 0xd800, let low = codeUnit(text, at, content.count) {
                scalar = 0x10000 + (scalar & 0x3ff) << 10 + UInt32(low & 0x3ff)
                at += 6
            }
            for byte in UTF8.encode(Unicode.Scalar(scalar) ?? "\u{fffd}") ?? .init() {
                target[written] = byte
                written += 1
            }
        }
        return written
    }

    private static func shortForm(_ letter: UInt8) -> UInt8? {
        switch letter {
        case UInt8(ascii: "b"): 0x08
        case UInt8(ascii: "f"): 0x0c
        case UInt8(ascii: "n"): 0x0a
        case UInt8(ascii: "r"): 0x0d
        case UInt8(ascii: "t"): 0x09
        case UInt8(ascii: "u"): nil
        default: letter
        }
    }
}
