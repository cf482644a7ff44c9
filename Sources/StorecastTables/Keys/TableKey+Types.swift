extension String: TableKey {
    /// The order of the UTF-8 bytes, which is that of the code points. O(length).
    ///
    /// Texts that only look the same, such as `"é"` written with one and with two code points, are
    /// two keys.
    @inlinable public static func isOrdered(_ a: String, before b: String) -> Bool {
        a.withTextBytes { a in b.withTextBytes { b in a.isOrdered(before: b) } }
    }

    /// The string itself.
    @inlinable public var keyText: String { self }

    /// Any string is a key.
    @inlinable public init?(keyText: String) { self = keyText }

    /// Calls `use` with the UTF-8 bytes: the string's own, or a copy if they aren't contiguous (a
    /// string bridged from Objective-C).
    @inline(__always)
    @inlinable func withTextBytes<R>(_ use: (UnsafeRawBufferPointer) -> R) -> R {
        if let result = utf8.withContiguousStorageIfAvailable({ use(UnsafeRawBufferPointer($0)) }) {
            return result
        }
        return Array(utf8).withUnsafeBytes(use)
    }
}

extension UnsafeRawBufferPointer {
    /// Whether the bytes are before others, compared eight at a time; a beginning is before the
    /// whole.
    @inline(__always)
    @inlinable func isOrdered(before other: UnsafeRawBufferPointer) -> Bool {
        let shorter = Swift.min(count, other.count)
        var at = 0
        while at + 8 <= shorter {
            let (one, two) = (
                loadUnaligned(fromByteOffset: at, as: UInt64.self),
                other.loadUnaligned(fromByteOffset: at, as: UInt64.self)
            )
            if one != two { return UInt64(bigEndian: one) < UInt64(bigEndian: two) }
            at += 8
        }
        if at < shorter, shorter >= 8 {
            // What is left, and some that was equal.
            at = shorter - 8
            let (one, two) = (
                loadUnaligned(fromByteOffset: at, as: UInt64.self),
                other.loadUnaligned(fromByteOffset: at, as: UInt64.self)
            )
            if one != two { return UInt64(bigEndian: one) < UInt64(bigEndian: two) }
            return count < other.count
        }
        while at < shorter {
            if self[at] != other[at] { return self[at] < other[at] }
            at += 1
        }
        return count < other.count
    }
}

extension TableKey where Self: FixedWidthInteger {
    /// The order of the numbers.
    @inlinable public static func isOrdered(_ a: Self, before b: Self) -> Bool { a < b }

    /// The number in decimal digits.
    @inlinable public var keyText: String { String(self) }

    /// Reads decimal digits as ``keyText`` writes them; not `"007"`, `"+1"` or `"-0"`.
    @inlinable public init?(keyText: String) {
        guard let number = Self(keyText), String(number).utf8.elementsEqual(keyText.utf8) else {
            return nil
        }
        self = number
    }
}

extension Int: TableKey {}
extension Int8: TableKey {}
extension Int16: TableKey {}
extension Int32: TableKey {}
extension Int64: TableKey {}
extension Int128: TableKey {}
extension UInt: TableKey {}
extension UInt8: TableKey {}
extension UInt16: TableKey {}
extension UInt32: TableKey {}
extension UInt64: TableKey {}
extension UInt128: TableKey {}

extension TableKey where Self: RawRepresentable, RawValue: TableKey {
    /// The order of the raw values.
    @inlinable public static func isOrdered(_ a: Self, before b: Self) -> Bool {
        RawValue.isOrdered(a.rawValue, before: b.rawValue)
    }

    /// The text of the raw value.
    @inlinable public var keyText: String { rawValue.keyText }

    /// The key whose raw value has the text.
    @inlinable public init?(keyText: String) {
        guard let raw = RawValue(keyText: keyText) else { return nil }
        self.init(rawValue: raw)
    }
}
