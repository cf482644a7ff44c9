/// A scanned JSON text: checked, copied and indexed, but not turned into Swift values.
///
/// Scanning takes linear time and 16 bytes for each value and member name beside the text.
public struct JSONDocument: Sendable {
    private let tape: JSONTape

    /// Scans UTF-8 bytes.
    ///
    /// - Throws: ``JSONError`` if they aren't exactly one JSON value within `limits`, or an object
    ///   in it has two members of one name.
    public init(
        scanning bytes: UnsafeRawBufferPointer, limits: JSONLimits = JSONLimits()
    ) throws(JSONError) {
        tape = try JSONTape.scan(bytes, limits).get()
    }

    /// Scans a string. Throws as ``init(scanning:limits:)`` does.
    public init(_ text: String, limits: JSONLimits = JSONLimits()) throws(JSONError) {
        tape = try text.withTextBytes { JSONTape.scan($0, limits) }.get()
    }

    /// Scans UTF-8 bytes. Throws as ``init(scanning:limits:)`` does.
    public init(_ bytes: [UInt8], limits: JSONLimits = JSONLimits()) throws(JSONError) {
        tape = try bytes.withUnsafeBytes { JSONTape.scan($0, limits) }.get()
    }

    /// Scans UTF-8 bytes. Throws as ``init(scanning:limits:)`` does.
    public init(_ bytes: ArraySlice<UInt8>, limits: JSONLimits = JSONLimits()) throws(JSONError) {
        tape = try bytes.withUnsafeBytes { JSONTape.scan($0, limits) }.get()
    }

    /// The value that the text is.
    public var root: JSONView { JSONView(tape, 0) }
}
