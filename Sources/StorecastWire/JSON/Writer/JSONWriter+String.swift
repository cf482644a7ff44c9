extension JSONWriter {
    /// Writes a string, escaping only what must be (RFC 8259 §7, and RFC 8785 §3.2.2.2 for how).
    public mutating func write(_ text: String) {
        text.withTextBytes { appendString($0, isKey: false) }
    }

    /// Writes a string, with its comma before it and, if it is a name, its colon behind it.
    @inline(__always)
    mutating func appendString(_ text: UnsafeRawBufferPointer, isKey: Bool) {
        guard text.count <= 256, Self.plainPrefix(of: text, from: 0) == text.count else {
            return appendLongString(text, isKey: isKey)
        }
        // Assembled on the stack: one append costs as much as appending a single byte.
        withUnsafeTemporaryAllocation(byteCount: 260, alignment: 8) { piece in
            var at = 0
            if needsComma {
                piece[0] = UInt8(ascii: ",")
                at = 1
            }
            piece[at] = UInt8(ascii: "\"")
            UnsafeMutableRawBufferPointer(rebasing: piece[(at + 1)...]).copyMemory(from: text)
            at += text.count + 1
            piece[at] = UInt8(ascii: "\"")
            at += 1
            if isKey {
                piece[at] = UInt8(ascii: ":")
                at += 1
            }
            bytes.append(contentsOf: UnsafeRawBufferPointer(rebasing: piece[..<at]))
        }
    }

    private mutating func appendLongString(_ text: UnsafeRawBufferPointer, isKey: Bool) {
        separate()
        bytes.append(UInt8(ascii: "\""))
        appendEscaped(text)
        raw(isKey ? "\":" : "\"")
    }

    private mutating func appendEscaped(_ text: UnsafeRawBufferPointer) {
        var from = 0
        while true {
            let to = Self.plainPrefix(of: text, from: from)
            bytes.append(contentsOf: UnsafeRawBufferPointer(rebasing: text[from..<to]))
            guard to < text.count else { return }
            appendEscape(of: text[to])
            from = to + 1
        }
    }

    /// Where the first byte at or behind `from` is that needs an escape.
    @inline(__always)
    static func plainPrefix(of text: UnsafeRawBufferPointer, from: Int) -> Int {
        let ones: UInt64 = 0x0101_0101_0101_0101
        var at = from
        while at + 8 <= text.count {
            let word = UInt64(
                littleEndian: text.loadUnaligned(fromByteOffset: at, as: UInt64.self))
            let quote = word ^ (ones &* 0x22)
            let backslash = word ^ (ones &* 0x5c)
            let hits =
                ((word &- ones &* 0x20) & ~word | (quote &- ones) & ~quote
                    | (backslash &- ones) & ~backslash) & (ones &* 0x80)
            if hits != 0 { return at + (hits.trailingZeroBitCount >> 3) }
            at += 8
        }
        while at < text.count, !needsEscape(text[at]) { at += 1 }
        return at
    }

    @inline(__always)
    static func needsEscape(_ byte: UInt8) -> Bool {
        byte < 0x20 || byte == 0x22 || byte == 0x5c
    }

    private mutating func appendEscape(of byte: UInt8) {
        bytes.append(UInt8(ascii: "\\"))
        if let letter = Self.shortEscape(of: byte) {
            bytes.append(letter)
        } else {
            raw(byte < 0x10 ? "u000" : "u001")
            let digit = byte & 15
            bytes.append(digit < 10 ? UInt8(ascii: "0") + digit : UInt8(ascii: "a") + digit - 10)
        }
    }

    /// The letter of a byte's two-character escape; nil if it has none.
    static func shortEscape(of byte: UInt8) -> UInt8? {
        switch byte {
        case 0x08: UInt8(ascii: "b")
        case 0x09: UInt8(ascii: "t")
        case 0x0a: UInt8(ascii: "n")
        case 0x0c: UInt8(ascii: "f")
        case 0x0d: UInt8(ascii: "r")
        case 0x22, 0x5c: byte
        default: nil
        }
    }
}
