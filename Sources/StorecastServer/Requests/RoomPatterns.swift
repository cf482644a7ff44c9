import StorecastRoom

/// Which paths of URLs have rooms, as patterns such as `/boards/*`.
///
/// A `*` stands for one segment of a path: 1 to 64 letters, digits, `-`, `_`, `.` and `~` of ASCII.
/// The other segments are of these too. A path matches as a whole, byte by byte, and without a
/// slash at its end; the pattern `/` is for the path `/` alone.
public struct RoomPatterns: Sendable {
    /// How many there may be.
    static let most = 64

    package let patterns: [RoomPattern]

    /// Patterns of which a path has to match one; at most 64.
    ///
    /// - Throws: `ServerError.Code.roomPatternUnusable`, with what is wrong with which.
    public init(_ patterns: [String]) throws(ServerError) {
        guard patterns.count <= Self.most else {
            throw ServerError(
                .roomPatternUnusable,
                "There are \(patterns.count) patterns of rooms; at most \(Self.most) are taken.")
        }
        var read: [RoomPattern] = []
        for text in patterns { read.append(try RoomPattern(text)) }
        self.patterns = read
    }

    /// Whether the path of a room matches one of them.
    public func contains(_ path: String) -> Bool {
        let segments = RoomPattern.segments(of: path)
        return patterns.contains { $0.matches(segments) }
    }

    /// What a client is told whose path doesn't.
    func lack(of path: String) -> String {
        "There is no room at '\(path.excerpt())'; there are: "
            + KnownNames(patterns.map(\.text)).text + "."
    }
}

/// One of ``RoomPatterns``.
package struct RoomPattern: Sendable {
    static let longestSegment = 64
    static let mostSegments = 16

    /// The pattern as it was given.
    package let text: String
    /// What the segments have to be; nil for any.
    private let segments: [String?]

    package init(_ text: String) throws(ServerError) {
        self.text = text
        let parts = Self.segments(of: text)
        func failure(_ why: String) -> ServerError {
            ServerError(
                .roomPatternUnusable,
                "'\(text.excerpt())' is no pattern of rooms: \(why). Write /boards/*, for example.")
        }
        guard text.utf8.first == UInt8(ascii: "/") else {
            throw failure("it doesn't begin with a slash")
        }
        guard parts.count <= Self.mostSegments + 1 else {
            throw failure("it has more than \(Self.mostSegments) segments")
        }
        for part in parts.dropFirst() where !part.elementsEqual("*".utf8) && text != "/" {
            if part.isEmpty { throw failure("it has an empty segment") }
            guard Self.isName(part) else {
                throw failure(
                    "a segment is a * alone, or has 1 to \(Self.longestSegment) letters, digits, "
                        + "-, _, . and ~")
            }
        }
        segments = parts.map { $0.elementsEqual("*".utf8) ? nil : String($0) }
    }

    /// What all paths that match it begin with: up to the first `*`.
    var beginning: String { String(text.prefix { $0 != "*" }) }

    /// The parts of a path between slashes; the first is what is before the first slash.
    package static func segments(of path: String) -> [Substring.UTF8View] {
        path.utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
    }

    package func matches(_ parts: [Substring.UTF8View]) -> Bool {
        parts.count == segments.count
            && zip(segments, parts).allSatisfy { segment, part in
                segment.map { $0.utf8.elementsEqual(part) } ?? Self.isName(part)
            }
    }

    /// Whether some path may match both.
    func meets(_ other: RoomPattern) -> Bool {
        segments.count == other.segments.count
            && zip(segments, other.segments).allSatisfy { one, other in
                guard let one, let other else { return (one ?? other)?.isEmpty != true }
                return one.isSameText(as: other)
            }
    }

    /// Whether a segment may be in the path of a room. A URL's path has no `.` and `..`.
    private static func isName(_ segment: Substring.UTF8View) -> Bool {
        (1...longestSegment).contains(segment.count)
            && segment.contains { $0 != UInt8(ascii: ".") }
            && segment.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                    UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"),
                    UInt8(ascii: "."), UInt8(ascii: "~"):
                    true
                default: false
                }
            }
    }
}
