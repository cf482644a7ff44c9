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

/// The largest and deepest JSON that a reader takes.
public struct JSONLimits: Sendable, Equatable {
    /// The longest text, in bytes. Never more than ``largestText`` counts.
    public var bytes = 1 << 20
    /// How deep arrays and objects may be nested. Never more than ``deepestNesting`` counts.
    public var depth = 64
    /// The longest number, in bytes.
    public var numberBytes = 512

    /// A text's bytes are addressed with 28 bits.
    public static let largestText = (1 << 28) - 1
    /// Functions that are recursive in a value must fit the stack of any thread.
    public static let deepestNesting = 512
    /// How deep a value may be nested that ``JSONCoding`` writes: the levels up to
    /// ``deepestNesting`` are for the frame, patch or snapshot that it stands in, so that what was
    /// written can be read.
    public static let deepestValue = 500

    /// Limits for a message from the network: 1 MiB, 64 levels, numbers of 512 bytes.
    public init() {}

    /// The limits given, the usual ones for the others.
    public init(bytes: Int = 1 << 20, depth: Int = 64, numberBytes: Int = 512) {
        self.bytes = bytes
        self.depth = depth
        self.numberBytes = numberBytes
    }

    /// For texts that this process wrote itself.
    package static let trusted = JSONLimits(
        bytes: largestText, depth: deepestNesting, numberBytes: largestText)
}
