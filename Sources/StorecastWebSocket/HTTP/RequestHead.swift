/// What becomes of the connection of a request, as its bytes say before the library reads them.
///
/// Where a request ends mustn't be a matter of opinion if another one follows, also for the proxy
/// that may have passed it on (RFC 9112, section 11.2). So only one that has no content, and in
/// which every line is as the grammar has it, permits another; each other one is the last.
struct RequestHead {
    /// Whether it has a header Upgrade that says to what.
    private(set) var asksForUpgrade = false
    /// Whether another request may follow on the connection.
    private(set) var permitsAnother: Bool

    /// - Parameter bytes: all up to the empty line, with it.
    init(_ bytes: [UInt8]) {
        var lines = Self.lines(of: bytes[...])
        permitsAnother = Self.permitsAnother(lines.removeFirst())
        for line in lines {
            guard let colon = line.firstIndex(of: UInt8(ascii: ":")), colon > line.startIndex,
                line[..<colon].allSatisfy(Self.isNameByte),
                line[colon...].allSatisfy({ $0 >= 0x20 && $0 != 0x7F || $0 == 0x09 })
            else {
                permitsAnother = false
                continue
            }
            take(
                String(decoding: line[..<colon], as: UTF8.self).lowercased(),
                String(decoding: line[(colon + 1)...], as: UTF8.self).lowercased())
        }
    }

    private mutating func take(_ name: String, _ value: String) {
        switch name {
        case "upgrade":
            if value.contains(where: { $0 != " " && $0 != "\t" }) { asksForUpgrade = true }
            permitsAnother = false
        case "content-length", "transfer-encoding", "expect":
            permitsAnother = false
        case "connection":
            let options = value.split { $0 == "," || $0 == " " || $0 == "\t" }
            if options.contains("close") { permitsAnother = false }
        default: break
        }
    }

    /// Whether it is the first line of a request without content, of a version whose connections
    /// stay open.
    private static func permitsAnother(_ line: ArraySlice<UInt8>) -> Bool {
        let words = line.split(separator: UInt8(ascii: " "), omittingEmptySubsequences: false)
        guard words.count == 3, words[2].elementsEqual("HTTP/1.1".utf8) else { return false }
        let isRead = words[0].elementsEqual("GET".utf8) || words[0].elementsEqual("HEAD".utf8)
        return isRead && !words[1].isEmpty && words[1].allSatisfy { $0 > 0x20 && $0 != 0x7F }
    }

    /// What is between ends of lines, without the empty line; at least one.
    private static func lines(of bytes: ArraySlice<UInt8>) -> [ArraySlice<UInt8>] {
        var (lines, rest) = ([ArraySlice<UInt8>](), bytes)
        while let end = rest.indices.first(where: {
            rest[$0] == 13 && $0 + 1 < rest.endIndex && rest[$0 + 1] == 10
        }) {
            if end == rest.startIndex, !lines.isEmpty { break }
            lines.append(rest[..<end])
            rest = rest[(end + 2)...]
        }
        return lines.isEmpty ? [bytes] : lines
    }

    /// RFC 9110, section 5.6.2.
    private static func isNameByte(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"):
            true
        default: "!#$%&'*+-.^_`|~".utf8.contains(byte)
        }
    }
}
