/// Files that a server hands to browsers, on the port on which it takes WebSockets.
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

    var files: [String: WebFile] = [:]

    /// No pages.
    public init() {}

    /// Pages that are in memory.
    ///
    /// - Parameter contents: the files by the paths of their URLs, such as `/pages/index.html`.
    ///   What a file is, is told by the end of its name.
    public init(_ contents: [String: [UInt8]]) {
        for (path, bytes) in contents { self[path] = bytes }
    }

    /// The content of the file at a path, which begins with a slash; nil if there is none.
    public subscript(path: String) -> [UInt8]? {
        get { files[path]?.bytes }
        set {
            precondition(path.hasPrefix("/"), "The path of a page begins with a slash: '\(path)'.")
            files[path] = newValue.map { WebFile($0, name: path) }
        }
    }
}
