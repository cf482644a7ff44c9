public import StorecastSync

/// Removes the member or the element at the path; later elements move up.
public struct RemoveValue: SyncAction, JSONEdit {
    /// `"remove"`.
    public static let wireName = "remove"

    /// Where.
    public var path: JSONPath

    /// An action to dispatch.
    public init(path: JSONPath) {
        self.path = path
    }

    func check(_ document: JSON) throws(Rejection) {
        guard !path.pointer.tokens.isEmpty else {
            throw Rejection(.invalid, "The whole document can't be removed; set it to null.")
        }
        _ = try existingTarget(in: document)
    }

    func apply(to document: inout JSON) {
        document.edit(parentOf: path) { parent, step in
            _ = parent.withObject { $0.removeValue(forKey: step) }
            _ = parent.withArray { array in
                guard let index = Int(step), array.indices.contains(index) else { return }
                array.remove(at: index)
            }
        }
    }
}
