/// Why a text is no JSON Pointer, or a pointer leads nowhere.
public struct JSONPointerError: Error, Hashable, Sendable {
    /// What kind of fault it is.
    public enum Reason: String, Hashable, Sendable {
        /// The text is neither empty nor begins with a slash.
        case noSlash
        /// A tilde with neither 0 nor 1 behind it.
        case badEscape
        /// The object has no such member.
        case noMember
        /// The array has fewer elements.
        case noElement
        /// The token for an array is no index: digits without a leading zero.
        case notAnIndex
        /// The path goes on, but the value has neither members nor elements.
        case scalar
        /// The whole value can't be removed or moved into itself.
        case root
    }

    /// What kind of fault it is.
    public var reason: Reason
    /// How far the path could be followed.
    public var end: JSONPointer
    /// The token that could not be followed.
    public var token: String

    init(_ reason: Reason, end: JSONPointer, token: String) {
        self.reason = reason
        self.end = end
        self.token = token
    }

    /// The fault as a sentence for people; of a long path or token it says the beginning.
    public var message: String {
        let place = end.tokens.isEmpty ? "the root" : "\"\(end.description.excerpt(128))\""
        let token = token.excerpt()
        return switch reason {
        case .noSlash: "A path is empty or begins with \"/\"; \"\(token)\" does not."
        case .badEscape:
            "In a path \"~\" is written \"~0\" and \"/\" is written \"~1\": \"\(token)\"."
        case .noMember: "The path ends at \(place): there is no member \"\(token)\"."
        case .noElement: "The path ends at \(place): there is no element \(token)."
        case .notAnIndex: "The path ends at \(place): \"\(token)\" is not an index of its array."
        case .scalar:
            "The path ends at \(place), which has no members; \"\(token)\" was looked for."
        case .root: "The whole value can be replaced, but not removed."
        }
    }
}

extension JSONPointerError: CustomStringConvertible {
    /// The fault as a sentence.
    public var description: String { message }
}
