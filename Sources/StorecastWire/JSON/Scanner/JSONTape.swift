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

    /// Whether the text of the string at `index` has these bytes.
    @inline(__always)
    func isString(_ index: Int, _ name: UnsafeRawBufferPointer) -> Bool {
        if entries[index].kind == .string {
            return UnsafeRawBufferPointer(content(index)).hasSameBytes(as: name)
        }
        return string(index).withTextBytes { $0.hasSameBytes(as: name) }
    }
}
