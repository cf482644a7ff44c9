public import StorecastSync

/// The state of a ``JSONRoom``: the document, and the size of its text, so that an action needn't
/// measure all of it to know whether there is room.
public struct SharedDocument: Codable, Equatable, Sendable {
    /// The document.
    public private(set) var value: JSON
    /// The bytes of its compact text.
    private(set) var size: Int

    init(_ value: JSON) {
        self.value = value
        size = value.encodedSize
    }

    /// Reads the document, as it is.
    public init(from decoder: any Decoder) throws {
        self.init(try JSON(from: decoder))
    }

    /// Writes the document, as it is.
    public func encode(to encoder: any Encoder) throws {
        try value.encode(to: encoder)
    }

    /// Makes a change that was checked.
    mutating func apply(_ edit: some JSONEdit) {
        size += edit.growth(of: value)
        edit.apply(to: &value)
    }
}
