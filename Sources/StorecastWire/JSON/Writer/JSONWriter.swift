/// Writes JSON text, compactly, to the end of a buffer.
///
/// Commas come by themselves: before a value or a name, unless the last byte is an opening bracket,
/// a colon or a comma (so a raw piece must not end in white space). Whether containers are closed
/// and names alternate with values is up to the caller.
public struct JSONWriter: Sendable {
    /// The text so far, in UTF-8.
    public var bytes: [UInt8]

    /// Nothing yet, with room for `capacity` bytes.
    public init(reserving capacity: Int = 256) {
        bytes = []
        bytes.reserveCapacity(capacity)
    }

    /// Whether what comes next has a comma before it.
    @inline(__always) var needsComma: Bool {
        switch bytes.last {
        case nil, UInt8(ascii: "["), UInt8(ascii: "{"), UInt8(ascii: ":"), UInt8(ascii: ","):
            false
        default: true
        }
    }

    /// Writes the comma between two values, if one belongs here.
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
