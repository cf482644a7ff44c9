public import StorecastSync

/// Adds an element to the end of the array at the path.
public struct AppendValue: SyncAction, JSONEdit {
    /// `"append"`.
    public static let wireName = "append"

    /// Where.
    public var path: JSONPath
    /// The new element.
    public var value: JSON
    var within: Int?

    /// An action to dispatch.
    public init(path: JSONPath, value: JSON) {
        self.path = path
        self.value = value
    }

    func check(_ document: SharedDocument) throws(Rejection) {
        let target = try existingTarget(in: document.value)
        guard target.array != nil else {
            throw Rejection(
                .conflict, "Only an array can be appended to.",
                detail: "There is \(target.kindName) at '\(path.pointer)'.")
        }
        try checkRoom(for: .array([value]), in: document)
    }

    func growth(of document: JSON) -> Int {
        let target = try? path.pointer.resolve(in: document)
        return value.encodedSize + (target?.array?.isEmpty == false ? 1 : 0)
    }

    func apply(to document: inout JSON) {
        document.change(at: path, from: .null) { target in
            _ = target.withArray { $0.append(value) }
        }
    }
}
