/// Why a text was refused: not JSON, or beyond the reader's limits.
public struct JSONError: Error, Hashable, Sendable {
    /// What kind of fault it is.
    public enum Reason: String, Hashable, Sendable {
        /// A byte that the grammar doesn't allow there, or an early end (RFC 8259 §2).
        case syntax
        /// Nested deeper than the limit.
        case depth
        /// Longer than the limit.
        case size
        /// Not UTF-8 (RFC 3629), or a byte order mark.
        case utf8
        /// A number that the grammar doesn't allow, that is too long, or too large for a double.
        case number
        /// An object with two members of one name.
        case duplicateKey
        /// An escape sequence that the grammar doesn't allow, or half of a surrogate pair.
        case escape
        /// A control character in a string that should have been escaped.
        case control
    }

    /// What kind of fault it is.
    public var reason: Reason
    /// Where it was found, in bytes from the start of the text.
    public var offset: Int

    /// A fault.
    public init(_ reason: Reason, at offset: Int) {
        self.reason = reason
        self.offset = offset
    }

    /// The fault as a sentence for people.
    public var message: String {
        switch reason {
        case .syntax: "The text is not JSON: unexpected input at byte \(offset)."
        case .depth: "The JSON is nested too deeply at byte \(offset)."
        case .size: "The JSON text is longer than the \(offset) bytes allowed."
        case .utf8: "The text is not valid UTF-8 at byte \(offset)."
        case .number: "The number at byte \(offset) is malformed, too long or too large."
        case .duplicateKey: "The object has two members with the name at byte \(offset)."
        case .escape: "The string has an invalid escape sequence at byte \(offset)."
        case .control: "The string has an unescaped control character at byte \(offset)."
        }
    }
}

extension JSONError: CustomStringConvertible {
    /// The fault as a sentence.
    public var description: String { message }
}
