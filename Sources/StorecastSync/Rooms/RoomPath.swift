import StorecastWire

/// Which room the path of a URL names: the text that remains when it is decoded, exactly.
package enum RoomPath {
    /// How many bytes a room's name has at most.
    ///
    /// Servers pass names on percent-encoded, where each byte is up to three and lines are short: of
    /// requests (4 KiB with all headers) and of NATS.
    package static let longestName = 512

    /// Whether a text that was taken from a request and decoded names a room: a slash, and no NUL.
    ///
    /// What isn't UTF-8 is no text.
    package static func isName(_ text: String) -> Bool {
        text.utf8.first == UInt8(ascii: "/") && !text.utf8.contains(0)
    }

    /// The room that the path of a URL names, as servers read it; nil if it names none.
    ///
    /// Percent-encoded bytes are decoded. A plus sign that isn't encoded is a space, a semicolon or
    /// ampersand a comma. Then empty segments, `.` and `..` are taken out. What `path` has behind a
    /// question mark is no part of it.
    package static func name(of path: some StringProtocol) -> String? {
        guard let bytes = decoded(path.utf8.prefix { $0 != UInt8(ascii: "?") }),
            let text = String(validating: resolved(bytes), as: UTF8.self), isName(text)
        else { return nil }
        return text
    }

    /// Whether the paths of two URLs name one room, or are one text.
    package static func areOneRoom(_ left: String, _ right: String) -> Bool {
        if left.isSameText(as: right) { return true }
        guard let name = name(of: left), let other = self.name(of: right) else { return false }
        return name.isSameText(as: other)
    }

    private static func decoded(_ path: some Sequence<UInt8>) -> [UInt8]? {
        var bytes: [UInt8] = []
        var rest = path.makeIterator()
        while let byte = rest.next() {
            switch byte {
            case UInt8(ascii: "%"):
                guard let high = rest.next().flatMap(hexadecimal),
                    let low = rest.next().flatMap(hexadecimal)
                else { return nil }
                bytes.append(high << 4 | low)
            case UInt8(ascii: "+"): bytes.append(UInt8(ascii: " "))
            case UInt8(ascii: ";"), UInt8(ascii: "&"): bytes.append(UInt8(ascii: ","))
            default: bytes.append(byte)
            }
        }
        return bytes
    }

    private static func hexadecimal(_ digit: UInt8) -> UInt8? {
        UInt8(exactly: Character(Unicode.Scalar(digit)).hexDigitValue ?? -1)
    }

    /// The path without empty segments, and without `.` and `..`.
    private static func resolved(_ path: [UInt8]) -> [UInt8] {
        guard path.first == UInt8(ascii: "/") else { return path }
        var segments: [ArraySlice<UInt8>] = []
        var endsWithSlash = false
        for segment in path.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false) {
            endsWithSlash = segment.isEmpty || segment.elementsEqual(".".utf8)
            if segment.elementsEqual("..".utf8) {
                _ = segments.popLast()
            } else if !endsWithSlash {
                segments.append(segment)
            }
        }
        let text = segments.flatMap { [UInt8(ascii: "/")] + $0 }
        return text.isEmpty || endsWithSlash ? text + [UInt8(ascii: "/")] : text
    }
}
