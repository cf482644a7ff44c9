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
/// leaves out is an error, unless the member is optional. ``JSONCoding`` reads it as its value
/// here. Whoever wrote the text may be an old journal as well as an old client. Texts that have
/// every member are read as fast as without this, and every value is read once. A member that is
/// optional needs no default: missing, it is nil.
public protocol Evolving: Decodable {
    /// An object: the JSON values, by coding key, of members that may be missing.
    static var memberDefaults: JSON { get }
}
