public import StorecastSync

/// Puts a value at the path, in place of what is there or as a new member of an object.
///
/// An element of an array is replaced; `append` adds one.
public struct SetValue: SyncAction, JSONEdit {
    /// `"set"`.
    public static let wireName = "set"

    /// The place that changes.
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
        try checkSize(with: value, in: document)
    }

    func growth(of document: JSON) -> Int {
        growth(of: document, setting: value)
    }

    func apply(to document: inout JSON) {
        document.change(at: path, from: value) { $0 = value }
    }
}

/// Merges a value into what is at the path, as RFC 7396 says: members are merged, those that are
/// null removed, anything but an object replaces. A missing member counts as an empty object.
public struct MergeValue: SyncAction, JSONEdit {
    /// `"merge"`.
    public static let wireName = "merge"

    /// The place that changes.
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
        try checkSize(with: value, in: document)
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

/// Adds to the number at the path; a missing member of an object counts as 0.
///
/// Integers are exact to 64 bits, `2.0` is one; a sum beyond them is rejected. Any other sum is a
/// double.
public struct IncrementValue: SyncAction, JSONEdit {
    /// `"increment"`.
    public static let wireName = "increment"

    /// The place that changes.
    public var path: JSONPath
    /// How much to add: a number, 1 if it is left out.
    public var by: JSON
    var within: Int?

    /// An action to dispatch.
    public init(path: JSONPath, by: JSON = 1) {
        self.path = path
        self.by = by
    }

    /// Reads `by`, if it is there.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        path = try container.decode(JSONPath.self, forKey: .path)
        by = container.contains(.by) ? try container.decode(JSON.self, forKey: .by) : 1
        within = try container.decodeIfPresent(Int.self, forKey: .within)
        guard by.double != nil else {
            throw DecodingError.dataCorruptedError(
                forKey: .by, in: container,
                debugDescription: "Expected a number, found \(by.kindName).")
        }
    }

    func check(_ document: SharedDocument) throws(Rejection) {
        let value = try target(in: document.value)
        try checkSize(with: (value ?? 0).adding(by), in: document)
    }

    func growth(of document: JSON) -> Int {
        let value = (try? path.pointer.resolve(in: document)) ?? 0
        return growth(of: document, setting: (try? value.adding(by)) ?? value)
    }

    func apply(to document: inout JSON) {
        document.change(at: path, from: 0) { value in
            if let sum = try? value.adding(by) { value = sum }
        }
    }
}

/// Adds an element to the end of the array at the path.
public struct AppendValue: SyncAction, JSONEdit {
    /// `"append"`.
    public static let wireName = "append"

    /// The place that changes.
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
        try checkSize(with: .array([value]), in: document)
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

/// Removes the member or the element at the path; later elements move up.
public struct RemoveValue: SyncAction, JSONEdit {
    /// `"remove"`.
    public static let wireName = "remove"

    /// The place that changes.
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
