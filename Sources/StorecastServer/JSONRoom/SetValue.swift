public import StorecastSync

/// Puts a value at the path, in place of what is there or as a new member of an object.
///
/// An element of an array is replaced; `append` adds one.
public struct SetValue: SyncAction, JSONEdit {
    /// `"set"`.
    public static let wireName = "set"

    /// Where.
    public var path: JSONPath
    /// What to put there.
    public var value: JSON
    var within: Int?

    /// An action to dispatch.
    public init(path: JSONPath, value: JSON) {
        self.path = path
        self.value = value
    }

    func check(_ document: SharedDocument) throws(Rejection) {
        _ = try target(in: document.value)
        try checkRoom(for: value, in: document)
    }

    func growth(of document: JSON) -> Int {
        growth(of: document, setting: value)
    }

    func apply(to document: inout JSON) {
        document.change(at: path, from: value) { $0 = value }
    }
}
