/// One value (or member name) of a scanned text: where it is and what it is, in 16 bytes.
struct TapeEntry {
    /// What an entry stands for.
    enum Kind: UInt32 {
        case null, `false`, `true`
        case int, uint, double
        /// A string whose bytes are its text, and one with escapes.
        case string, escapedString
        case array, object
    }

    /// The first byte; of a string, the first one inside its quotes.
    let start: UInt32
    /// The kind above 28 bits of length in bytes; of a string, inside its quotes.
    private(set) var tag: UInt32
    /// A number's bits. Of a container, the index of the entry behind it and, 32 bits up, how many
    /// elements or members it has; while it is open, the index of the container around it instead.
    /// Of a string, something that depends on its bytes and mostly differs for different ones.
    var payload: UInt64

    init(_ kind: Kind, from start: Int, length: Int = 0, payload: UInt64 = 0) {
        self.start = UInt32(truncatingIfNeeded: start)
        tag = kind.rawValue << 28 | UInt32(truncatingIfNeeded: length)
        self.payload = payload
    }

    @inline(__always)
    var kind: Kind {
        // Only init writes it, and from a Kind.
        unsafeBitCast(UInt8(truncatingIfNeeded: tag >> 28), to: Kind.self)
    }

    @inline(__always) var length: Int { Int(tag & 0xfff_ffff) }
    @inline(__always) var isString: Bool { kind == .string || kind == .escapedString }
    @inline(__always) var isContainer: Bool { tag >> 28 >= Kind.array.rawValue }
    @inline(__always) var isNumber: Bool { (Kind.int.rawValue...Kind.double.rawValue) ~= tag >> 28 }

    /// The low half of the payload.
    @inline(__always)
    var link: Int {
        get { Int(payload & 0xffff_ffff) }
        set { payload = payload & ~0xffff_ffff | UInt64(newValue) }
    }

    /// How many elements or members a container has.
    @inline(__always) var count: Int { Int(payload >> 32) }

    @inline(__always)
    mutating func close(at end: Int, next: Int) {
        tag = tag & ~0xfff_ffff | UInt32(truncatingIfNeeded: end - Int(start))
        link = next
    }

    @inline(__always)
    mutating func countOne() { payload &+= 1 << 32 }
}
