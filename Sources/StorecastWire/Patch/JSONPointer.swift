/// A JSON Pointer (RFC 6901): the path from a value to one inside it.
///
/// Two are equal if their tokens have the same bytes.
public struct JSONPointer: Sendable {
    /// Member names and element indices from the outside in, unescaped; none for the value itself.
    public var tokens: [String]

    /// The pointer with these tokens.
    public init(_ tokens: [String] = []) {
        self.tokens = tokens
    }

    /// Reads a pointer's text: empty, or tokens with a `/` before each, where `~1` is a `/` and
    /// `~0` a `~`.
    ///
    /// - Throws: ``JSONPointerError`` if the text is anything else.
    public init(parsing text: String) throws(JSONPointerError) {
        tokens = []
        guard !text.isEmpty else { return }
        guard text.utf8.first == UInt8(ascii: "/") else {
            throw JSONPointerError(.noSlash, end: JSONPointer(), token: text)
        }
        let fault = text.withTextBytes { bytes -> String? in
            var start = 1
            while start <= bytes.count {
                let end = bytes[start...].firstIndex(of: UInt8(ascii: "/")) ?? bytes.count
                let part = UnsafeRawBufferPointer(rebasing: bytes[start..<end])
                guard let token = Self.unescape(part) else {
                    return String(decoding: part, as: UTF8.self)
                }
                tokens.append(token)
                start = end + 1
            }
            return nil
        }
        if let fault { throw JSONPointerError(.badEscape, end: self, token: fault) }
    }

    private static func unescape(_ part: UnsafeRawBufferPointer) -> String? {
        guard part.contains(UInt8(ascii: "~")) else { return String(decoding: part, as: UTF8.self) }
        var bytes: [UInt8] = []
        var isEscape = false
        for byte in part {
            switch byte {
            case UInt8(ascii: "0") where isEscape: bytes.append(UInt8(ascii: "~"))
            case UInt8(ascii: "1") where isEscape: bytes.append(UInt8(ascii: "/"))
            case _ where isEscape: return nil
            case UInt8(ascii: "~"):
                isEscape = true
                continue
            default: bytes.append(byte)
            }
            isEscape = false
        }
        return isEscape ? nil : String(decoding: bytes, as: UTF8.self)
    }

    /// The pointer to a member or element of what this points to.
    public func appending(_ token: String) -> JSONPointer { JSONPointer(tokens + [token]) }

    /// The pointer to an element of what this points to.
    public func appending(_ index: Int) -> JSONPointer { appending(String(index)) }

    /// The value in `json` that this points to. Constant time on average for each token.
    ///
    /// - Throws: ``JSONPointerError``, which says how far the path goes.
    public func resolve(in json: JSON) throws(JSONPointerError) -> JSON {
        var value = json
        for (depth, token) in tokens.enumerated() {
            switch value {
            case .object(let object):
                guard let member = object[token] else { throw missing(depth, .noMember) }
                value = member
            case .array(let array):
                value = array[try index(at: depth, in: array.count)]
            default: throw missing(depth, .scalar)
            }
        }
        return value
    }

    /// The token at `depth` as the index of one of `count` elements.
    func index(at depth: Int, in count: Int) throws(JSONPointerError) -> Int {
        guard let index = Self.index(tokens[depth]) else { throw missing(depth, .notAnIndex) }
        guard index < count else { throw missing(depth, .noElement) }
        return index
    }

    /// An array index as RFC 6901 §4 writes it: digits without a leading zero.
    static func index(_ token: String) -> Int? {
        guard let first = token.utf8.first, token.utf8.count <= 18,
            first != UInt8(ascii: "0") || token.utf8.count == 1
        else { return nil }
        var index = 0
        for byte in token.utf8 {
            guard case let digit = byte &- UInt8(ascii: "0"), digit < 10 else { return nil }
            index = index * 10 + Int(digit)
        }
        return index
    }

    func missing(_ depth: Int, _ reason: JSONPointerError.Reason) -> JSONPointerError {
        JSONPointerError(reason, end: JSONPointer(Array(tokens[..<depth])), token: tokens[depth])
    }
}

extension JSONPointer: Hashable {
    /// Whether both have the same tokens, byte by byte.
    public static func == (left: JSONPointer, right: JSONPointer) -> Bool {
        left.tokens.count == right.tokens.count && left.begins(with: right)
    }

    /// Hashes the tokens' bytes.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(tokens.count)
        for token in tokens { token.hashText(into: &hasher) }
    }

    /// Whether this leads through what `other` points to.
    package func begins(with other: JSONPointer) -> Bool {
        tokens.starts(with: other.tokens) { $0.isSameText(as: $1) }
    }
}

extension JSONPointer {
    /// How many bytes its text has as a JSON string.
    var encodedSize: Int {
        tokens.reduce(2) { size, token in
            let escapes = token.utf8.count { $0 == UInt8(ascii: "~") || $0 == UInt8(ascii: "/") }
            // Without the quotes, with the slash before it.
            return size + JSON.size(token) - 1 + escapes
        }
    }
}

extension JSONPointer: CustomStringConvertible {
    /// The pointer's text; ``init(parsing:)`` reads it.
    public var description: String {
        var bytes: [UInt8] = []
        for token in tokens {
            bytes.append(UInt8(ascii: "/"))
            token.withTextBytes { text in
                for byte in text {
                    switch byte {
                    case UInt8(ascii: "~"): bytes += "~0".utf8
                    case UInt8(ascii: "/"): bytes += "~1".utf8
                    default: bytes.append(byte)
                    }
                }
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}

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

    /// The fault as a sentence for people, with at most the beginning of a long path or token.
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
