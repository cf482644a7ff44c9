import StorecastSync
import StorecastWebSocket

/// Files that a server serves to browsers, on the port on which it takes WebSockets.
///
/// ```swift
/// SyncServer(room: counter, pages: try .folder("Site"))
/// ```
/// They are served from memory, so what isn't among them can't be asked for. A path that ends with
/// a slash names the `index.html` in it. Browsers ask whether a file has changed whenever they need
/// it, and get it again only then.
public struct WebPages: Sendable {
    /// What pages may load, and from where: the header `Content-Security-Policy`.
    ///
    /// By default only what this server serves, WebSockets to it included, and no scripts or styles
    /// inside of HTML.
    public var policy = """
        default-src 'self'; object-src 'none'; base-uri 'none'; form-action 'self'; \
        frame-ancestors 'none'
        """

    var files: [ExactString: WebFile] = [:]

    /// No pages.
    public init() {}

    /// Pages that are in memory.
    ///
    /// - Parameter contents: the files by the paths of their URLs, such as `/pages/index.html`.
    ///   The extension of a file's name decides its content type.
    public init(_ contents: [String: [UInt8]]) {
        for (path, bytes) in contents { self[path] = bytes }
    }

    /// The content of the file at a path, which begins with a slash; nil if there is none.
    public subscript(path: String) -> [UInt8]? {
        get { files[ExactString(path)]?.bytes }
        set {
            precondition(
                path.utf8.first == UInt8(ascii: "/"),
                "The path of a page begins with a slash: '\(path)'.")
            files[ExactString(path)] = newValue.map { WebFile($0, name: path) }
        }
    }

    /// The paths of all files, in no order.
    package var paths: [String] { files.keys.map(\.string) }
}

extension WebPages {
    /// The answer to a plain request; nil if there are no pages at all.
    func answer(to request: UpgradeRequest) -> HTTPResponse? {
        if files.isEmpty { return nil }
        let path = request.path.hasSuffix("/") ? request.path + "index.html" : request.path
        let file = files[ExactString(path)]
        guard file != nil || files[ExactString(path + "/index.html")] != nil else {
            return refusal(404, "There is no such page.")
        }
        guard request.method == "GET" || request.method == "HEAD" else {
            return refusal(405, "A page is asked for with GET.", [("Allow", "GET, HEAD")])
        }
        guard let file else {
            // Relative URLs in the page need the slash.
            return refusal(308, "The page is at \(path)/.", [("Location", path + "/")])
        }
        return answer(file, unless: request.headers["if-none-match"])
    }

    private func refusal(
        _ status: Int, _ sentence: String, _ headers: [(String, String)] = []
    ) -> HTTPResponse {
        HTTPResponse(status: status, sentence, headers: headers + Self.always)
    }

    private func answer(_ file: WebFile, unless condition: String?) -> HTTPResponse {
        var answer = HTTPResponse(
            status: 200,
            headers: [
                ("ETag", file.entityTag), ("Cache-Control", "no-cache"),
                ("Content-Security-Policy", policy),
            ] + Self.always,
            contentType: file.contentType, body: file.bytes)
        if file.matches(condition) {
            answer.status = 304
            answer.sendsBody = false
        }
        return answer
    }

    private static let always = [
        ("X-Content-Type-Options", "nosniff"), ("Referrer-Policy", "no-referrer"),
    ]
}

/// A file as it is served.
struct WebFile: Sendable {
    let bytes: [UInt8]
    let contentType: String
    /// Identifies the content (RFC 9110 section 8.8.3); in quotes.
    let entityTag: String

    /// - Parameter name: the file's name, whose extension decides the content type.
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
