public import StorecastSync

/// Merges a value into what is at the path, as RFC 7396 says: members are merged, those that are
/// null removed, anything but an object replaces. A missing member counts as an empty object.
public struct MergeValue: SyncAction, JSONEdit {
    /// `"merge"`.
    public static let wireName = "merge"

    /// Where.
    public var path: JSONPath
    /// The merge patch.
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
        var merged = (try? path.pointer.resolve(in: document)) ?? .null
        merged.merge(value)
        return growth(of: document, setting: merged)
    }

    func apply(to document: inout JSON) {
        document.change(at: path, from: .null) { $0.merge(value) }
    }
}
