import StorecastSync

/// A file as it is served.
struct WebFile: Sendable {
    let bytes: [UInt8]
    let contentType: String
    /// Says, in quotes, which content it is (RFC 9110 section 8.8.3).
    let entityTag: String

    /// - Parameter name: ends as the file's name does.
    init(_ bytes: [UInt8], name: String) {
        self.bytes = bytes
        contentType = Self.contentType(of: name)
        var hash = FNV1a()
        hash.add(bytes)
        entityTag = "\"\(String(hash.value, radix: 16))\""
    }

    /// Whether a request says that it has this content (RFC 9110 section 13.1.2).
    func matches(_ condition: String?) -> Bool {
        guard let condition else { return false }
        return condition.split(separator: ",").contains { item in
            var tag = item.drop { $0 == " " || $0 == "\t" }.prefix { $0 != " " && $0 != "\t" }
            if tag.hasPrefix("W/") { tag = tag.dropFirst(2) }
            return tag == "*" || tag == entityTag
        }
    }

    private static func contentType(of name: String) -> String {
        let types = [
            "html": "text/html; charset=utf-8", "js": "text/javascript; charset=utf-8",
            "mjs": "text/javascript; charset=utf-8", "css": "text/css; charset=utf-8",
            "json": "application/json", "map": "application/json",
            "webmanifest": "application/manifest+json", "txt": "text/plain; charset=utf-8",
            "svg": "image/svg+xml", "png": "image/png", "jpg": "image/jpeg", "webp": "image/webp",
            "ico": "image/x-icon", "woff2": "font/woff2", "wasm": "application/wasm",
        ]
        let file = name.split(separator: "/").last ?? ""
        guard let dot = file.lastIndex(of: ".") else { return "application/octet-stream" }
        return types[file[dot...].dropFirst().lowercased()] ?? "application/octet-stream"
    }
}
