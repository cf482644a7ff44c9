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
/// Swift's synthesised `init(from:)` doesn't look at the default value of a member: one that a text
/// leaves out is an error, unless the member is optional. ``JSONCoding`` reads it as its value here.
/// Whoever wrote the text may be an old journal as well as an old client. Texts that have every
/// member are read as fast as without this.
public protocol Evolving: Decodable {
    /// An object: the JSON values, by coding key, of members that may be missing.
    static var memberDefaults: JSON { get }
}

extension Evolving {
    /// Reads the value again with the missing members added; nil if that adds none.
    static func decodeCompleted(_ view: JSONView) throws -> Self? {
        guard var object = view.json.object, let defaults = memberDefaults.object else {
            return nil
        }
        let count = object.count
        for (key, value) in defaults where object[key] == nil { object[key] = value }
        guard object.count > count else { return nil }
        let document = try JSONDocument(JSON.object(object).bytes, limits: .trusted)
        return try Self(from: JSONViewDecoder(document.root))
    }
}
