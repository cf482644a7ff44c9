/// Between JSON and Swift values, through their `Codable` conformances.
///
/// Dictionaries with `String` or `Int` keys are objects; a nil member is left out (but for types
/// that encode it themselves); integers are exact to 64 bits; a number with a fraction of zero,
/// such as `1e3`, reads as an integer too. Any value may stand at the top.
public enum JSONCoding {
    /// Reads a value of `type`.
    ///
    /// - Throws: `DecodingError`, or what the type's own `init(from:)` throws. See
    ///   ``message(for:)``.
    public static func decode<T: Decodable>(
        _ type: T.Type = T.self, from view: JSONView
    ) throws -> T {
        try JSONViewDecoder(view).decode(type)
    }

    /// Reads a value of `type`. Throws as for a view, and ``JSONError`` if `json` is nested deeper
    /// than ``JSONLimits/deepestNesting``.
    ///
    /// The tree is laid out as a text first: the one decoder stays free of indirection, and that
    /// costs a third of what the decoding does.
    public static func decode<T: Decodable>(_ type: T.Type = T.self, from json: JSON) throws -> T {
        if type == JSON.self, let same = json as? T { return same }
        let document = try JSONDocument(json.bytes, limits: .trusted)
        return try decode(type, from: document.root)
    }

    /// The compact text of `value`, in UTF-8.
    ///
    /// A type that encodes one name twice into one container writes both, which no reader takes.
    ///
    /// - Throws: `EncodingError` (numbers that JSON can't express), or what the type's own
    ///   `encode(to:)` throws. See ``message(for:)``.
    public static func encode<T: Encodable>(_ value: T) throws -> [UInt8] {
        var writer = JSONWriter()
        try encode(value, into: &writer)
        return writer.bytes
    }

    /// Writes `value` with `writer`, which a throw leaves unchanged. Throws as ``encode(_:)`` does.
    public static func encode<T: Encodable>(
        _ value: T, into writer: inout JSONWriter
    ) throws {
        if let json = value as? JSON { return writer.write(json) }
        try JSONEncoding.encode(value).write(to: &writer)
    }

    /// The tree of `value`. Throws as ``encode(_:)`` does. A ``JSON`` is its own tree.
    public static func encodeTree<T: Encodable>(_ value: T) throws -> JSON {
        if let json = value as? JSON { return json }
        return try JSONEncoding.encode(value).tree
    }

    /// What went wrong in a decoding or encoding, where, as a sentence for people.
    ///
    /// For an error that isn't one of Swift's coding errors: its description.
    public static func message(for error: any Error) -> String {
        switch error {
        case DecodingError.typeMismatch(_, let context),
            DecodingError.valueNotFound(_, let context),
            DecodingError.dataCorrupted(let context):
            sentence(context.codingPath, context.debugDescription)
        case DecodingError.keyNotFound(let key, let context):
            sentence(context.codingPath, "the member \"\(key.stringValue)\" is missing")
        case EncodingError.invalidValue(_, let context):
            sentence(context.codingPath, context.debugDescription)
        default: "\(error)"
        }
    }

    private static func sentence(_ path: [any CodingKey], _ text: String) -> String {
        let stop = text.hasSuffix(".") ? "" : "."
        guard !path.isEmpty else { return text.prefix(1).uppercased() + text.dropFirst() + stop }
        return "At \(JSONPointer(path.map(\.stringValue))): \(text)\(stop)"
    }
}
