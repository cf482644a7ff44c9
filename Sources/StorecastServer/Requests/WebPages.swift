import StorecastSync
import StorecastWebSocket

/// Files that a server serves to browsers, on the port on which it takes WebSockets.
///
/// ```swift
/// SyncServer(room: counter, pages: try .folder("Site"))
/// ```
/// They are served from memory, so what isn't among them can't be asked for. A path that ends with
/// a slash names the `index.html` in it. Browsers ask whether a file has changed whenever they need
/// it, and get it again only then; what ``unchanging(under:)`` names they don't even ask about.
/// Texts are compressed once, and sent so to those that take it.
///
/// Pages are put together with ``and(_:)``, also with those that StorecastPages has:
///
/// ```swift
/// SyncServer(room: counter, pages: try .folder("Site").and(.client).and(.devtools))
/// ```
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
    /// What is served where there is no file.
    var patterns: [(pattern: RoomPattern, file: WebFile)] = []

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

    /// These pages and others. Where both have a file, it is these whose file is served. The others
    /// keep their ``policy``.
    public func and(_ others: WebPages) -> WebPages {
        var all = self
        for (path, file) in others.files where all.files[path] == nil {
            all.files[path] = others.pinned(file)
        }
        for (pattern, file) in others.patterns {
            all.patterns.append((pattern, others.pinned(file)))
        }
        return all
    }

    /// The same, with a file also at every path that matches a pattern and has no file of its own.
    package func serving(_ path: String, at pattern: RoomPattern) -> WebPages {
        guard let file = files[ExactString(path)] else {
            preconditionFailure("There is no page at '\(path)'.")
        }
        var pages = self
        pages.patterns.append((pattern, file))
        return pages
    }

    /// The same, of which browsers keep what is below a path for a year without asking: for files
    /// in whose names there is a hash of the content, as bundlers make them.
    ///
    /// ```swift
    /// try .folder("dist").unchanging(under: "/assets/")
    /// ```
    /// - Parameter path: with a slash at both ends.
    public func unchanging(under path: String) -> WebPages {
        precondition(
            path.hasPrefix("/") && path.hasSuffix("/"),
            "What never changes is below a path with a slash at both ends: '\(path)'.")
        var pages = self
        for name in files.keys where name.string.utf8.starts(with: path.utf8) {
            pages.files[name]?.isImmutable = true
        }
        return pages
    }

    private func pinned(_ file: WebFile) -> WebFile {
        var file = file
        file.policy = file.policy ?? policy
        return file
    }
}

extension WebPages {
    /// The answer to a plain request; nil if there are no pages at all.
    func answer(to request: UpgradeRequest) -> HTTPResponse? {
        if files.isEmpty { return nil }
        let path = request.path.hasSuffix("/") ? request.path + "index.html" : request.path
        // One that isn't UTF-8 is empty here.
        let isFolder = !path.isEmpty && files[ExactString(path + "/index.html")] != nil
        let file = files[ExactString(path)] ?? (isFolder ? nil : matching(request.path))
        guard file != nil || isFolder else { return refusal(404, "There is no such page.") }
        guard request.method == "GET" || request.method == "HEAD" else {
            return refusal(405, "A page is asked for with GET.", [("Allow", "GET, HEAD")])
        }
        var answer =
            file?.answer(to: request.headers, policy: policy)
            // Relative URLs in the page need the slash. Browsers would keep it for good.
            ?? HTTPResponse(
                status: 308, "The page is at \(path)/.",
                headers: [
                    ("Location", Self.encoded(path) + "/"), ("Cache-Control", "no-cache"),
                ])
        answer.headers += Self.always
        answer.permitsAnother = true
        return answer
    }

    private func matching(_ path: String) -> WebFile? {
        let segments = RoomPattern.segments(of: path)
        return patterns.first { $0.pattern.matches(segments) }?.file
    }

    private func refusal(
        _ status: Int, _ sentence: String, _ headers: [(name: String, value: String)] = []
    ) -> HTTPResponse {
        HTTPResponse(status: status, sentence, headers: headers + Self.always)
    }

    private static let always: [(name: String, value: String)] = [
        ("X-Content-Type-Options", "nosniff"), ("Referrer-Policy", "no-referrer"),
    ]
}

extension WebPages {
    /// The same, in which HTML refers to the other files by names that have a hash of their
    /// content, so that browsers need not ask again; their own names stay. What isn't written as
    /// `src="…"` or `href="…"` isn't found.
    package func withHashedNames() -> WebPages {
        var pages = self
        for (path, file) in files where file.isHTML {
            let folder = path.string.lastIndex(of: "/").map { path.string[...$0] } ?? "/"
            let text = String(decoding: file.bytes, as: UTF8.self)
            let rewritten = text.replacing(/(src|href)="([^"]+)"/) { match -> String in
                let (attribute, url) = (match.output.1, match.output.2)
                let target = url.hasPrefix("/") ? String(url) : "\(folder)\(url)"
                guard var found = files[ExactString(target)], !found.isHTML,
                    let name = Self.name(String(url), with: found.hash),
                    let place = Self.name(target, with: found.hash)
                else { return String(match.output.0) }
                found.isImmutable = true
                pages.files[ExactString(place)] = found
                return "\(attribute)=\"\(name)\""
            }
            pages[path.string] = Array(rewritten.utf8)
        }
        return pages
    }

    /// `main.js` with a hash: `main.1f2e.js`; nil for a name without an extension.
    private static func name(_ path: String, with hash: String) -> String? {
        path.lastIndex(of: ".").map { "\(path[..<$0]).\(hash)\(path[$0...])" }
    }
}
