/// A scanned text and its tape, in one block of memory.
///
/// `@unchecked Sendable`: the block is written before `init` returns and never after, and freed
/// when the last reference goes.
final class JSONTape: @unchecked Sendable {
    let entries: UnsafePointer<TapeEntry>
    let text: UnsafePointer<UInt8>
    let entryCount: Int
    let textCount: Int
    /// Whether a string may have something in it that isn't ASCII.
    let isBeyondASCII: Bool
    private let block: UnsafeMutableRawPointer

    /// Copies both.
    private init(_ scanner: JSONScanner) {
        entryCount = scanner.used
        textCount = scanner.end
        isBeyondASCII = scanner.isBeyondASCII
        let entryBytes = entryCount * MemoryLayout<TapeEntry>.stride
        block = .allocate(byteCount: entryBytes + textCount, alignment: 8)
        block.copyMemory(from: scanner.tape, byteCount: entryBytes)
        (block + entryBytes).copyMemory(from: scanner.text, byteCount: textCount)
        entries = UnsafePointer(block.bindMemory(to: TapeEntry.self, capacity: entryCount))
        text = UnsafePointer(
            (block + entryBytes).bindMemory(to: UInt8.self, capacity: textCount))
    }

    deinit { block.deallocate() }

    /// Scans `bytes`.
    static func scan(
        _ bytes: UnsafeRawBufferPointer, _ limits: JSONLimits
    ) -> Result<JSONTape, JSONError> {
        let largest = min(limits.bytes, JSONLimits.largestText)
        guard bytes.count <= largest else { return .failure(JSONError(.size, at: largest)) }
        guard let start = bytes.bindMemory(to: UInt8.self).baseAddress else {
            return .failure(JSONError(.syntax, at: 0))
        }
        var limits = limits
        limits.depth = min(max(limits.depth, 0), JSONLimits.deepestNesting)
        let capacity = JSONScanner.capacity(forBytes: bytes.count, depth: limits.depth)
        // On the stack for small texts. Memory that a large text's tape doesn't reach is never
        // touched.
        return withUnsafeTemporaryAllocation(of: TapeEntry.self, capacity: capacity) { buffer in
            guard let tape = buffer.baseAddress else { return .failure(JSONError(.size, at: 0)) }
            var scanner = JSONScanner(
                text: start, end: bytes.count, limits: limits, tape: tape, capacity: capacity)
            guard scanner.scan() else {
                return .failure(scanner.fault ?? JSONError(.syntax, at: scanner.at))
            }
            return .success(JSONTape(scanner))
        }
    }

    /// The index behind the value at `index`.
    @inline(__always)
    func after(_ index: Int) -> Int {
        entries[index].isContainer ? entries[index].link : index + 1
    }

    /// The bytes of a string between its quotes, or of any other value.
    @inline(__always)
    func content(_ index: Int) -> UnsafeBufferPointer<UInt8> {
        UnsafeBufferPointer(start: text + Int(entries[index].start), count: entries[index].length)
    }

    /// The text of the string at `index`.
    func string(_ index: Int) -> String {
        let content = content(index)
        guard entries[index].kind == .escapedString else {
            return String(decoding: content, as: UTF8.self)
        }
        return String(unsafeUninitializedCapacity: content.count) { buffer in
            JSONEscape.unescape(content, into: buffer)
        }
    }

    /// Whether the value at `index` is the string `text`.
    func isText(_ text: StaticString, at index: Int) -> Bool {
        entries[index].isString
            && isString(
                index, UnsafeRawBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount))
    }

    /// Whether the text of the string at `index` has these bytes.
    @inline(__always)
    func isString(_ index: Int, _ name: UnsafeRawBufferPointer) -> Bool {
        if entries[index].kind == .string {
            return UnsafeRawBufferPointer(content(index)).hasSameBytes(as: name)
        }
        return string(index).withTextBytes { $0.hasSameBytes(as: name) }
    }
}

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
    /// Of a string, a hash of its length, first and last bytes.
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
