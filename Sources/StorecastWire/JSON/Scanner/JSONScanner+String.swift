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

    /// Scans on at the first byte of a string that needs a look.
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

    /// Where the next byte is that needs a look: a quote, a backslash, a control or a non-ASCII
    /// one.
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

    /// Something that differs for most names, to tell the members of small objects apart quickly.
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
