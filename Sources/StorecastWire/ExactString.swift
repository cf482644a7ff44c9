/// A string used as an identifier: equal to another only if both have the same UTF-8 bytes.
///
/// Swift's `String` compares by canonical equivalence: `"\u{e9}"` equals `"e\u{301}"`, and `"K"`
/// the Kelvin sign. URLs, JSON, JavaScript and SQLite compare bytes or code points: keys that
/// differ there could be one key in a dictionary of `String`.
///
/// A dictionary with keys of this type is coded as a JSON object.
public struct ExactString: Sendable {
    /// The text.
    public let string: String

    /// Wraps a string.
    public init(_ string: String) {
        self.string = string
    }
}

extension ExactString: Hashable {
    /// Whether both have the same bytes. Complexity: linear.
    public static func == (left: ExactString, right: ExactString) -> Bool {
        left.string.isSameText(as: right.string)
    }

    /// Hashes the bytes.
    public func hash(into hasher: inout Hasher) {
        string.hashText(into: &hasher)
    }
}

extension ExactString: Comparable {
    /// The order of the bytes, which is that of the code points. Complexity: linear.
    public static func < (left: ExactString, right: ExactString) -> Bool {
        left.string.utf8.lexicographicallyPrecedes(right.string.utf8)
    }
}

extension ExactString: ExpressibleByStringLiteral, LosslessStringConvertible {
    /// The text written.
    public init(stringLiteral value: String) { self.init(value) }

    /// The text.
    public var description: String { string }
}

extension String {
    /// Whether both have the same UTF-8 bytes, and so the same code points.
    package func isSameText(as other: String) -> Bool {
        // Equal short strings, and copies of one string, have the same bits.
        let isCopy = withUnsafeBytes(of: self) { left in
            withUnsafeBytes(of: other) { right in left.hasSameBytes(as: right) }
        }
        if isCopy { return true }
        guard utf8.count == other.utf8.count else { return false }
        return withTextBytes { left in
            other.withTextBytes { right in left.hasSameBytes(as: right) }
        }
    }

    /// Hashes the UTF-8 bytes.
    package func hashText(into hasher: inout Hasher) {
        withTextBytes { hasher.combine(bytes: $0) }
        hasher.combine(0xff as UInt8)
    }

    /// Calls `use` with the UTF-8 bytes: the string's own, or a copy if they aren't contiguous (a
    /// string bridged from Objective-C).
    @inline(__always)
    func withTextBytes<R>(_ use: (UnsafeRawBufferPointer) -> R) -> R {
        if let result = utf8.withContiguousStorageIfAvailable({ use(UnsafeRawBufferPointer($0)) }) {
            return result
        }
        return Array(utf8).withUnsafeBytes(use)
    }
}

extension UnsafeRawBufferPointer {
    /// Whether both hold the same bytes, compared eight at a time.
    @inline(__always)
    func hasSameBytes(as other: UnsafeRawBufferPointer) -> Bool {
        guard count == other.count else { return false }
        guard count > 0, let left = baseAddress, let right = other.baseAddress else { return true }
        var at = 0
        while at + 8 <= count {
            if left.loadUnaligned(fromByteOffset: at, as: UInt64.self)
                != right.loadUnaligned(fromByteOffset: at, as: UInt64.self)
            {
                return false
            }
            at += 8
        }
        while at < count {
            if left.load(fromByteOffset: at, as: UInt8.self)
                != right.load(fromByteOffset: at, as: UInt8.self)
            {
                return false
            }
            at += 1
        }
        return true
    }
}

extension Sequence<String> {
    /// Sorted by their bytes: the same order wherever it is shown or hashed.
    package func sortedExactly() -> [String] {
        map { ExactString($0) }.sorted().map(\.string)
    }
}

extension Sequence<ExactString> {
    /// The strings, sorted by their bytes.
    package func sortedStrings() -> [String] { sorted().map(\.string) }
}

extension String {
    /// The text, or its beginning and an ellipsis if it is longer than `limit` bytes of UTF-8.
    ///
    /// For quoting a peer's text in an error. Counted in bytes, as one `Character` can have any
    /// number of them; cut between two Unicode scalars. O(`limit`).
    package func excerpt(_ limit: Int = 64) -> String {
        guard utf8.count > limit else { return self }
        var end = utf8.index(utf8.startIndex, offsetBy: limit)
        while end.samePosition(in: unicodeScalars) == nil { end = utf8.index(before: end) }
        return String(unicodeScalars[..<end]) + "…"
    }
}
