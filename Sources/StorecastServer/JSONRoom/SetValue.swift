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

    /// An action to dispatch.
    public init(path: JSONPath, value: JSON) {
        self.path = path
        self.value = value
    }

    func check(_ document: JSON) throws(Rejection) {
        let replaced = try target(in: document)
        try checkRoom(for: value, replacing: replaced, in: document)
    }

    func apply(to document: inout JSON) {
        document.change(at: path, from: value) { $0 = value }
    }
}
