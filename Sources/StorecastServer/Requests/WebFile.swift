import StorecastSync
import StorecastWebSocket

/// A file as it is served.
struct WebFile: Sendable {
    let bytes: [UInt8]
    /// The same with gzip, made once; nil if it wouldn't be shorter, or is of a type that isn't.
    let compressed: [UInt8]?
    let contentType: String
    /// Identifies the content; letters and digits.
    let hash: String
    /// Whether the content of its path never changes.
    var isImmutable = false
    /// The policy of the pages that it came with; nil for that of the pages that it is among.
    var policy: String?

    /// - Parameter name: the file's name, whose extension decides the content type.
    init(_ bytes: [UInt8], name: String) {
        self.bytes = bytes
        contentType = Self.contentType(of: name)
        compressed = Self.isText(contentType) ? Gzip.compress(bytes) : nil
        var hash = FNV1a()
        hash.add(bytes)
        self.hash = String(hash.value, radix: 16)
    }

    var isHTML: Bool { contentType.hasPrefix("text/html") }

    /// The answer to a request for it; without its content if the browser has that.
    func answer(to headers: [String: String], policy: String) -> HTTPResponse {
        let gzip = Self.acceptsGzip(headers["accept-encoding"]) ? compressed : nil
        let tag = gzip == nil ? entityTag : compressedTag
        var answer = HTTPResponse(
            status: 200,
            headers: [
                ("ETag", tag),
                ("Cache-Control", isImmutable ? "public, max-age=31536000, immutable" : "no-cache"),
                ("Content-Security-Policy", self.policy ?? policy),
            ],
            contentType: contentType, body: gzip ?? bytes)
        if compressed != nil { answer.headers.append(("Vary", "Accept-Encoding")) }
        if gzip != nil { answer.headers.append(("Content-Encoding", "gzip")) }
        // A cache on the way that has the other one doesn't have this.
        if Self.names(tag, headers["if-none-match"]) {
            answer.status = 304
            answer.sendsBody = false
        }
        return answer
    }

    /// RFC 9110, section 8.8.3. Each of the two that are sent has its own.
    var entityTag: String { "\"\(hash)\"" }
    private var compressedTag: String { "\"\(hash)-gzip\"" }

    /// Whether a request says that it has the content of this tag (RFC 9110, section 13.1.2).
    static func names(_ tag: String, _ condition: String?) -> Bool {
        guard let condition else { return false }
        return condition.split(separator: ",").contains { item in
            var named = trimmed(item)
            if named.hasPrefix("W/") { named = named.dropFirst(2) }
            return named == "*" || named == tag
        }
    }

    /// Whether a client takes content with gzip (RFC 9110, section 12.5.3); without the header,
    /// not.
    static func acceptsGzip(_ header: String?) -> Bool {
        var others = false
        for item in (header ?? "").split(separator: ",") {
            let parts = item.split(separator: ";").map { trimmed($0).lowercased() }
            let weight = parts.dropFirst().first { $0.hasPrefix("q=") }?.dropFirst(2)
            let isTaken = weight.map { Double($0) ?? 0 > 0 } ?? true
            switch parts.first {
            case "gzip", "x-gzip": return isTaken
            case "*": others = isTaken
            default: break
            }
        }
        return others
    }

    private static func trimmed(_ text: Substring) -> Substring {
        text.drop { $0 == " " || $0 == "\t" }.prefix { $0 != " " && $0 != "\t" }
    }

    /// Whether it is of a type that isn't compressed already.
    private static func isText(_ contentType: String) -> Bool {
        let others = [
            "application/json", "application/manifest+json", "application/wasm",
            "application/xml", "image/svg+xml", "font/ttf", "font/otf",
        ]
        return contentType.hasPrefix("text/") || others.contains(contentType)
    }

    private static func contentType(of name: String) -> String {
        let types = [
            "html": "text/html; charset=utf-8", "js": "text/javascript; charset=utf-8",
            "mjs": "text/javascript; charset=utf-8", "css": "text/css; charset=utf-8",
            "json": "application/json", "map": "application/json",
            "webmanifest": "application/manifest+json", "txt": "text/plain; charset=utf-8",
            "svg": "image/svg+xml", "png": "image/png", "jpg": "image/jpeg", "jpeg": "image/jpeg",
            "gif": "image/gif", "webp": "image/webp", "avif": "image/avif", "ico": "image/x-icon",
            "woff": "font/woff", "woff2": "font/woff2", "ttf": "font/ttf", "otf": "font/otf",
            "wasm": "application/wasm", "pdf": "application/pdf", "xml": "application/xml",
            "csv": "text/csv; charset=utf-8", "mp3": "audio/mpeg", "mp4": "video/mp4",
            "webm": "video/webm",
        ]
        let file = name.split(separator: "/").last ?? ""
        guard let dot = file.lastIndex(of: ".") else { return "application/octet-stream" }
        return types[file[dot...].dropFirst().lowercased()] ?? "application/octet-stream"
    }
}
