/// Writes JSON text, compactly, to the end of a buffer.
///
/// Commas are added automatically: before a value or a name, unless the last byte is an opening
/// bracket, a colon or a comma (so a raw piece must not end in white space). Whether containers are
/// closed and names alternate with values is up to the caller.
public struct JSONWriter: Sendable {
    /// The text so far, in UTF-8.
    public var bytes: [UInt8]

    /// Nothing yet, with room for `capacity` bytes.
    public init(reserving capacity: Int = 256) {
        bytes = []
        bytes.reserveCapacity(capacity)
    }

    /// Whether a comma belongs before what is written next.
    @inline(__always) var needsComma: Bool {
        switch bytes.last {
        case nil, UInt8(ascii: "["), UInt8(ascii: "{"), UInt8(ascii: ":"), UInt8(ascii: ","):
            false
        default: true
        }
    }

    /// Writes a comma if one belongs here.
    @inline(__always)
    mutating func separate() {
        if needsComma { bytes.append(UInt8(ascii: ",")) }
    }

    /// Writes `null`.
    public mutating func writeNull() {
        separate()
        raw("null")
    }

    /// Writes `true` or `false`.
    public mutating func write(_ value: Bool) {
        separate()
        raw(value ? "true" : "false")
    }

    /// Writes `{`.
    public mutating func beginObject() {
        separate()
        bytes.append(UInt8(ascii: "{"))
    }

    /// Writes `}`.
    public mutating func endObject() { bytes.append(UInt8(ascii: "}")) }

    /// Writes `[`.
    public mutating func beginArray() {
        separate()
        bytes.append(UInt8(ascii: "["))
    }

    /// Writes `]`.
    public mutating func endArray() { bytes.append(UInt8(ascii: "]")) }

    /// Writes a member's name and its colon.
    public mutating func write(key: StaticString) {
        appendString(
            UnsafeRawBufferPointer(start: key.utf8Start, count: key.utf8CodeUnitCount), isKey: true)
    }

    /// Writes a member's name and its colon.
    @_disfavoredOverload
    public mutating func write(key: String) {
        key.withTextBytes { appendString($0, isKey: true) }
    }

    /// Writes bytes that are a JSON value already.
    public mutating func write(raw value: [UInt8]) {
        separate()
        bytes.append(contentsOf: value)
    }

    /// Writes bytes that are a JSON value already.
    public mutating func write(raw value: UnsafeRawBufferPointer) {
        separate()
        bytes.append(contentsOf: value)
    }

    /// Writes a scanned value as it was written in its source, spaces and all.
    public mutating func write(_ view: JSONView) {
        separate()
        view.withBytes { bytes.append(contentsOf: $0) }
    }

    /// Appends exactly these bytes: a piece of JSON text, without a comma of ours.
    public mutating func raw(_ piece: [UInt8]) {
        bytes.append(contentsOf: piece)
    }

    /// Appends exactly these bytes: a piece of JSON text, without a comma of ours.
    public mutating func raw(_ piece: ArraySlice<UInt8>) {
        bytes.append(contentsOf: piece)
    }

    /// Appends exactly this piece of JSON text, without a comma of ours.
    @inline(__always)
    public mutating func raw(_ piece: StaticString) {
        bytes.append(
            contentsOf: UnsafeBufferPointer(
                start: piece.utf8Start, count: piece.utf8CodeUnitCount))
    }
}

extension JSONWriter {
    /// Writes a tree.
    ///
    /// Complexity: linear; recursive in the depth of the value.
    public mutating func write(_ value: JSON) {
        switch value {
        case .null: writeNull()
        case .bool(let value): write(value)
        case .int(let value): write(value)
        case .uint(let value): write(value)
        case .double(let value): write(value)
        case .string(let value): write(value)
        case .array(let elements):
            beginArray()
            for element in elements { write(element) }
            endArray()
        case .object(let object): write(object)
        }
    }

    /// Writes an object, its members in their order.
    public mutating func write(_ object: JSONObject) {
        beginObject()
        for (key, value) in object {
            write(key: key)
            write(value)
        }
        endObject()
    }

    /// Writes a tree in the one form that equal values share, for hashing and signing.
    ///
    /// This is RFC 8785 (members sorted by the UTF-16 code units of their names, numbers as in
    /// ECMAScript, `-0` as `0`), except that integers of 64 bits keep all their digits, where that
    /// standard would round them to a double. Complexity: linear, plus the sorting of members.
    public mutating func write(canonical value: JSON) {
        switch value {
        case .null, .bool, .int, .uint, .string: write(value)
        case .double(let number): write(canonical: number)
        case .array(let elements):
            beginArray()
            for element in elements { write(canonical: element) }
            endArray()
        case .object(let object):
            beginObject()
            let members = object.sorted { $0.key.utf16.lexicographicallyPrecedes($1.key.utf16) }
            for (key, value) in members {
                write(key: key)
                write(canonical: value)
            }
            endObject()
        }
    }

    private mutating func write(canonical number: Double) {
        if let integer = number.wholeInt64 { return write(integer) }
        if let integer = number.wholeUInt64 { return write(integer) }
        guard number.isFinite else { return writeNull() }
        separate()
        DoubleText(number).append(to: &bytes)
    }
}

/// Whole members of the object that is open.
extension JSONWriter {
    package mutating func member(_ key: StaticString, _ value: String) {
        write(key: key)
        write(value)
    }

    package mutating func member(_ key: StaticString, _ value: UInt64) {
        write(key: key)
        write(value)
    }

    package mutating func member(_ key: StaticString, _ value: Int) {
        write(key: key)
        write(value)
    }

    package mutating func member(_ key: StaticString, _ value: Double) {
        write(key: key)
        write(value)
    }

    package mutating func member(_ key: StaticString, _ value: Bool) {
        write(key: key)
        write(value)
    }

    package mutating func member(_ key: StaticString, _ value: JSON) {
        write(key: key)
        write(value)
    }
}
