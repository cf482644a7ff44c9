extension JSONScanner {
    /// Scans a string from its opening quote to behind the closing one.
    @inline(__always)
    mutating func scanString() -> Bool {
        let start = at + 1
        let stop = plainTextEnd(from: start)
        guard stop < end, text[stop] == UInt8(ascii: "\"") else { return scanRest(start, stop) }
        at = stop + 1
        let length = stop - start
        let mark = mark(start, length)
        return append(TapeEntry(.string, from: start, length: length, payload: mark))
    }

    /// Scans the rest of a string, from its first byte that isn't plain.
    private mutating func scanRest(_ start: Int, _ stop: Int) -> Bool {
        at = stop
        var kind = TapeEntry.Kind.string
        while true {
            at = plainTextEnd(from: at)
            guard at < end else { return fail(.syntax, at: at) }
            let byte = text[at]
            if byte == UInt8(ascii: "\"") { break }
            if byte >= 0x80 {
                isBeyondASCII = true
                guard scanMultibyte() else { return false }
            } else if byte == UInt8(ascii: "\\") {
                kind = .escapedString
                isBeyondASCII = true
                guard scanEscape() else { return false }
            } else if byte < 0x20 {
                return fail(.control, at: at)
            }
        }
        let length = at - start
        at += 1
        let mark = kind == .string ? mark(start, length) : 0
        return append(TapeEntry(kind, from: start, length: length, payload: mark))
    }

    /// The index of the next byte that isn't plain: a quote, backslash, control or non-ASCII byte.
    @inline(__always)
    private func plainTextEnd(from start: Int) -> Int {
        let ones: UInt64 = 0x0101_0101_0101_0101
        let highs: UInt64 = 0x8080_8080_8080_8080
        var at = start
        while at + 8 <= end {
            let word = UInt64(
                littleEndian: UnsafeRawPointer(text + at).loadUnaligned(as: UInt64.self))
            let quote = word ^ (ones &* 0x22)
            let backslash = word ^ (ones &* 0x5c)
            // Each subtraction borrows only out of a byte that is itself a hit, so the lowest bit
            // that is set marks the first hit.
            let hits =
                (word | (word &- ones &* 0x20) | (quote &- ones) & ~quote
                    | (backslash &- ones) & ~backslash) & highs
            if hits != 0 { return at + (hits.trailingZeroBitCount >> 3) }
            at += 8
        }
        while at < end {
            let byte = text[at]
            if byte < 0x20 || byte >= 0x80 || byte == 0x22 || byte == 0x5c { break }
            at += 1
        }
        return at
    }

    /// One character of two to four bytes (RFC 3629 §4: no overlong forms, surrogates or codes
    /// above U+10FFFF).
    ///
    /// A message from a socket was checked before; what a file, a journal or a caller holds wasn't,
    /// and the bytes of a string go unchanged to every client. ASCII is free of this check.
    private mutating func scanMultibyte() -> Bool {
        let lead = text[at]
        var second: ClosedRange<UInt8> = 0x80...0xbf
        let length: Int
        switch lead {
        case 0xc2...0xdf: length = 2
        case 0xe0: (length, second) = (3, 0xa0...0xbf)
        case 0xed: (length, second) = (3, 0x80...0x9f)
        case 0xe1...0xef: length = 3
        case 0xf0: (length, second) = (4, 0x90...0xbf)
        case 0xf1...0xf3: length = 4
        case 0xf4: (length, second) = (4, 0x80...0x8f)
        default: return fail(.utf8, at: at)
        }
        guard at + length <= end, second ~= text[at + 1] else { return fail(.utf8, at: at) }
        for index in 2..<max(length, 2) where text[at + index] & 0xc0 != 0x80 {
            return fail(.utf8, at: at)
        }
        at += length
        return true
    }

    private mutating func scanEscape() -> Bool {
        let start = at
        guard at + 1 < end else { return fail(.syntax, at: end) }
        switch text[at + 1] {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"), UInt8(ascii: "b"),
            UInt8(ascii: "f"), UInt8(ascii: "n"), UInt8(ascii: "r"), UInt8(ascii: "t"):
            at += 2
            return true
        case UInt8(ascii: "u"):
            guard let unit = JSONEscape.codeUnit(text, at, end) else {
                return fail(.escape, at: start)
            }
            at += 6
            guard unit & 0xf800 == 0xd800 else { return true }
            guard unit < 0xdc00, let low = JSONEscape.codeUnit(text, at, end), low >> 10 == 0x37
            else { return fail(.escape, at: start) }
            at += 6
            return true
        default:
            return fail(.escape, at: start)
        }
    }

    /// A hash of a name, to tell the members of small objects apart quickly.
    @inline(__always)
    private func mark(_ start: Int, _ length: Int) -> UInt64 {
        var mark = UInt64(truncatingIfNeeded: length)
        // The quote that ended the string may be among the bytes, which does no harm.
        if start + 8 <= end {
            let word = UnsafeRawPointer(text + start).loadUnaligned(as: UInt64.self)
            let first = UInt64(littleEndian: word)
            mark ^= length < 8 ? first & (1 << UInt64(length * 8) &- 1) : first
        } else {
            for index in 0..<min(length, 8) { mark ^= UInt64(text[start + index]) << (index * 8) }
        }
        if length > 8 {
            let last = UnsafeRawPointer(text + start + length - 8).loadUnaligned(as: UInt64.self)
            mark ^= UInt64(littleEndian: last) &* 31
        }
        return mark &* 0x9e37_79b9_7f4a_7c15
    }
}

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
