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

extension JSONError {
    /// What is wrong with a text, by line and column.
    package func sentence(in text: [UInt8]) -> String {
        let place = Self.place(at: offset, in: text)
        return switch reason {
        case .syntax where offset >= text.count: "at \(place) the JSON is not complete."
        case .syntax: "at \(place) there is something that isn't JSON."
        case .depth: "at \(place) it is nested too deeply."
        case .utf8 where text.starts(with: [0xEF, 0xBB, 0xBF]) && offset == 0:
            "it begins with a byte order mark (BOM), which JSON doesn't have: save it without."
        case .utf8: "at \(place) it isn't UTF-8."
        case .number: "at \(place) there is a number that is malformed, too long or too large."
        case .duplicateKey: "at \(place) an object has a second member of the same name."
        case .escape: "at \(place) there is an escape that isn't one of JSON's."
        case .control: "at \(place) there is a control character in a string: escape it."
        case .size: message
        }
    }

    /// The line and column of a byte of a text, in words.
    package static func place(at offset: Int, in text: [UInt8]) -> String {
        let before = text.prefix(offset)
        let line = before.count { $0 == UInt8(ascii: "\n") } + 1
        let start = before.lastIndex(of: UInt8(ascii: "\n")).map { $0 + 1 } ?? 0
        // Columns are counted in characters, as editors do.
        let column = String(decoding: before[start...], as: UTF8.self).count + 1
        return "line \(line), column \(column)"
    }
}

extension JSONError: CustomStringConvertible {
    /// The fault as a sentence.
    public var description: String { message }
}
