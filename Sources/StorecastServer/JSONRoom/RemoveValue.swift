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

    func check(_ document: SharedDocument) throws(Rejection) {
        guard !path.pointer.tokens.isEmpty else {
            throw Rejection(.invalid, "The whole document can't be removed; set it to null.")
        }
        _ = try existingTarget(in: document.value)
    }

    func growth(of document: JSON) -> Int {
        guard let removed = try? path.pointer.resolve(in: document) else { return 0 }
        let parent = try? JSONPointer(path.pointer.tokens.dropLast()).resolve(in: document)
        let size = parent?.array == nil ? memberSize(of: removed) : removed.encodedSize
        return -size - (hasSiblings(in: document, beside: 1) ? 1 : 0)
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
