/// Checks that bytes which come in pieces are UTF-8 (RFC 3629: no surrogates, no overlong forms,
/// nothing above U+10FFFF), and finds a mistake at its first byte.
package struct UTF8Validator {
    /// Continuation bytes that are still to come.
    private var expected: UInt8 = 0
    /// What the next continuation byte may be.
    private var lowest: UInt8 = 0x80
    private var highest: UInt8 = 0xBF

    package init() {}

    /// Whether the bytes so far end between two characters.
    package var isComplete: Bool { expected == 0 }

    /// Looks at the next bytes; false if they can't continue what came before.
    ///
    /// O(n); eight bytes at a time where they are ASCII. After a false the validator is used up.
    package mutating func validate(_ bytes: UnsafeRawBufferPointer) -> Bool {
        var index = 0
        let count = bytes.count
        while index < count {
            if expected == 0 {
                while index &+ 8 <= count,
                    bytes.loadUnaligned(fromByteOffset: index, as: UInt64.self)
                        & 0x8080_8080_8080_8080 == 0
                {
                    index &+= 8
                }
                if index == count { return true }
            }
            guard accept(bytes[index]) else { return false }
            index &+= 1
        }
        return true
    }

    private mutating func accept(_ byte: UInt8) -> Bool {
        if expected == 0 { return begin(byte) }
        guard byte >= lowest, byte <= highest else { return false }
        expected &-= 1
        lowest = 0x80
        highest = 0xBF
        return true
    }

    /// The first byte of a character; table 3-7 of the Unicode standard.
    private mutating func begin(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x00...0x7F: return true
        case 0xC2...0xDF: expected = 1
        case 0xE0: (expected, lowest) = (2, 0xA0)
        case 0xE1...0xEC, 0xEE, 0xEF: expected = 2
        case 0xED: (expected, highest) = (2, 0x9F)
        case 0xF0: (expected, lowest) = (3, 0x90)
        case 0xF1...0xF3: expected = 3
        case 0xF4: (expected, highest) = (3, 0x8F)
        default: return false
        }
        return true
    }
}
