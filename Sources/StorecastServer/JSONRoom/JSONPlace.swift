/// The parameter of ``JSONRoom/value``: `{"path": "/a/b"}`.
public struct JSONPlace: Hashable, Codable, Sendable {
    /// The way to the value; empty for the whole document.
    public var path: JSONPath

    /// A place in the document.
    public init(path: JSONPath = JSONPath()) {
        self.path = path
    }
}
