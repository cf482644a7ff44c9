public import StorecastSync

/// A JSON Pointer (RFC 6901) as a member of an action or a parameter: a string in JSON.
public struct JSONPath: Hashable, Sendable {
    /// The pointer that the string says.
    public var pointer: JSONPointer

    /// A path; without an argument to the whole document.
    public init(_ pointer: JSONPointer = JSONPointer()) {
        self.pointer = pointer
    }
}

extension JSONPath: Codable {
    /// Reads a pointer from a string; throws `dataCorrupted` with a sentence if it is none.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        let text = try container.decode(String.self)
        do {
            pointer = try JSONPointer(parsing: text)
        } catch {
            throw DecodingError.dataCorruptedError(
                in: container, debugDescription: error.message)
        }
    }

    /// Writes the pointer's text.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(pointer.description)
    }
}
