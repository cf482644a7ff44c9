/// Between JSON and Swift values, through their `Codable` conformances.
///
/// Dictionaries with `String` or `Int` keys are objects; a nil member is left out (but for types
/// that encode it themselves); integers are exact to 64 bits; a number with a fraction of zero,
/// such as `1e3`, reads as an integer too. Any value may stand at the top.
///
/// Strings are: integers of 128 bits (their digits), numbers that JSON has no text for (`"NaN"`,
/// `"Infinity"`, `"-Infinity"`), and of Foundation's types `Data` (base 64 as in RFC 4648 §4, with
/// padding), `URL` without a base, `Decimal` (its digits) and `UUID`. `Date` is the number of
/// seconds since 2001 began in UTC, exactly.
public enum JSONCoding {
    /// Reads a value of `type`.
    ///
    /// - Throws: `DecodingError`, or what the type's own `init(from:)` throws. See
    ///   ``message(for:)``.
    public static func decode<T: Decodable>(
        _ type: T.Type = T.self, from view: JSONView
    ) throws -> T {
        try JSONViewDecoder(view, in: JSONDecodingScope(around: view)).decode(type)
    }

    /// Reads a value of `type`. Throws as for a view, and ``JSONError`` if `json` is nested deeper
    /// than ``JSONLimits/deepestNesting``.
    ///
    /// The tree is written as text first, so that there is one decoder, without indirection. That
    /// adds a third to the time of decoding.
    public static func decode<T: Decodable>(_ type: T.Type = T.self, from json: JSON) throws -> T {
        if type == JSON.self, let same = json as? T { return same }
        let document = try JSONDocument(json.bytes, limits: .trusted)
        return try decode(type, from: document.root)
    }

    /// The compact text of `value`, in UTF-8.
    ///
    /// A type that encodes one name twice into one container writes both, which no reader takes.
    ///
    /// - Throws: `EncodingError` if it is nested deeper than ``JSONLimits/deepestValue``, or what
    ///   the type's own `encode(to:)` throws. See ``message(for:)``.
    public static func encode<T: Encodable>(_ value: T) throws -> [UInt8] {
        var writer = JSONWriter()
        try encode(value, into: &writer)
        return writer.bytes
    }

    /// Writes `value` with `writer`, which a throw leaves unchanged. Throws as ``encode(_:)`` does.
    public static func encode<T: Encodable>(
        _ value: T, into writer: inout JSONWriter
    ) throws {
        if let json = value as? JSON { return writer.write(try encodeTree(json)) }
        try JSONEncoding.encode(value).write(to: &writer)
    }

    /// The tree of `value`. Throws as ``encode(_:)`` does. A ``JSON`` is its own tree.
    public static func encodeTree<T: Encodable>(_ value: T) throws -> JSON {
        if let json = value as? JSON {
            guard !json.isNested(deeperThan: JSONLimits.deepestValue) else {
                throw JSONEncoding.depthError
            }
            return json
        }
        return try JSONEncoding.encode(value).tree
    }

    /// What went wrong in decoding or encoding, and where, as a sentence for people.
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

/// A type that has gained members since values of it were first written.
///
/// ```swift
/// struct Card: Codable {
///     var text: String
///     var color = "white"  // new
/// }
/// extension Card: Evolving {
///     static let memberDefaults: JSON = ["color": "white"]
/// }
/// ```
/// Swift's synthesised `init(from:)` ignores the default value of a member: if the text lacks it,
/// that is an error, unless the member is optional. ``JSONCoding`` then reads the value given here.
/// Such a text may come from an old journal or an old client. Texts that have every member are read
/// as fast as without this. An optional member needs no default: if it is missing, it is nil.
public protocol Evolving: Decodable {
    /// An object: the JSON values, by coding key, of members that may be missing.
    static var memberDefaults: JSON { get }
}
