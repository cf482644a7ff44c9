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

    func steps(in document: JSON) -> [DocumentStep] { steps(putting: value, in: document) }
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
    var narrow: Bool?

    /// An action to dispatch.
    public init(path: JSONPath, value: JSON) {
        self.path = path
        self.value = value
    }

    /// Where it meets something else than an object, it replaces that by one.
    var whole: JSONPointer? { path.pointer }

    func check(_ document: SharedDocument) throws(Rejection) {
        let target = try target(in: document.value)
        guard narrow != true || Self.meetsObjects(value, in: target) else {
            throw Rejection(
                .conflict, "The merge would replace what is around the values that it names.",
                detail: "Where it has an object with members, the document has something else.")
        }
        try checkSize(with: value, in: document)
    }

    /// Whether there is an object wherever the patch has one with members.
    private static func meetsObjects(_ patch: JSON, in document: JSON?) -> Bool {
        guard let changes = patch.object, !changes.isEmpty else { return true }
        guard let members = document?.object else { return false }
        return changes.allSatisfy { meetsObjects($1, in: members[$0]) }
    }

    func steps(in document: JSON) -> [DocumentStep] {
        do {
            let old = try path.pointer.resolve(in: document)
            return Self.steps(merging: value, into: old, at: path.pointer)
        } catch {
            return steps(putting: value.merged, in: document)
        }
    }

    private static func steps(
        merging patch: JSON, into old: JSON, at path: JSONPointer
    ) -> [DocumentStep] {
        guard let changes = patch.object, let members = old.object else {
            return [DocumentStep(replacing: old, by: patch.merged, at: path)]
        }
        var count = members.count
        var steps: [DocumentStep] = []
        for (name, change) in changes {
            switch (members[name], change) {
            case (let old?, .null):
                steps.append(
                    DocumentStep(removing: old, as: name, from: path, with: count))
                count -= 1
            case (nil, .null): break
            case (let old?, _):
                steps += self.steps(merging: change, into: old, at: path.appending(name))
            case (nil, _):
                steps.append(
                    DocumentStep(adding: change.merged, as: name, to: path, with: count))
                count += 1
            }
        }
        return steps
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

    func steps(in document: JSON) -> [DocumentStep] {
        guard let value = try? target(in: document) ?? 0, let sum = try? value.adding(by) else {
            return []
        }
        return steps(putting: sum, in: document)
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

    func steps(in document: JSON) -> [DocumentStep] {
        guard let count = (try? path.pointer.resolve(in: document))?.array?.count else { return [] }
        return [DocumentStep(appending: value, to: path.pointer, with: count)]
    }
}

/// Removes the member or the element at the path; later elements move up.
public struct RemoveValue: SyncAction, JSONEdit {
    /// `"remove"`.
    public static let wireName = "remove"

    /// The place that changes.
    public var path: JSONPath
    var narrow: Bool?

    /// An action to dispatch.
    public init(path: JSONPath) {
        self.path = path
    }

    /// In an array, it gives what is behind it other places.
    var whole: JSONPointer? { JSONPointer(path.pointer.tokens.dropLast()) }

    func check(_ document: SharedDocument) throws(Rejection) {
        guard !path.pointer.tokens.isEmpty else {
            throw Rejection(.invalid, "The whole document can't be removed; set it to null.")
        }
        _ = try existingTarget(in: document.value)
        guard
            narrow != true || (whole.flatMap { try? $0.resolve(in: document.value) })?.array == nil
        else {
            throw Rejection(
                .conflict, "Elements behind it would move to other places.",
                detail: "It takes the right to remove the array as a whole.")
        }
    }

    func steps(in document: JSON) -> [DocumentStep] {
        let around = JSONPointer(path.pointer.tokens.dropLast())
        guard let name = path.pointer.tokens.last, let parent = try? around.resolve(in: document),
            let old = try? JSONPointer([name]).resolve(in: parent)
        else { return [] }
        if let count = parent.array?.count {
            return [DocumentStep(removing: old, at: name, from: around, with: count)]
        }
        let count = parent.object?.count ?? 0
        return [DocumentStep(removing: old, as: name, from: around, with: count)]
    }
}

extension JSON {
    /// What a merge patch makes of nothing: without its members that are null.
    fileprivate var merged: JSON {
        var value = JSON.null
        value.merge(self)
        return value
    }
}
