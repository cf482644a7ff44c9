/// A JSON Patch (RFC 6902): the operations that turn one value into another.
public struct JSONPatch: Sendable, Hashable {
    /// One change, or one test.
    public enum Operation: Sendable, Hashable {
        /// Inserts an element before an index (`-`: at the end), or sets a member.
        case add(path: JSONPointer, value: JSON)
        /// Removes an element or a member, which must exist.
        case remove(path: JSONPointer)
        /// Gives what exists another value.
        case replace(path: JSONPointer, value: JSON)
        /// Removes one thing and adds it elsewhere.
        case move(from: JSONPointer, path: JSONPointer)
        /// Adds a copy of one thing elsewhere.
        case copy(from: JSONPointer, path: JSONPointer)
        /// Fails the patch unless the value there is equal.
        case test(path: JSONPointer, value: JSON)
    }

    /// The operations, in order.
    public var operations: [Operation]

    /// A patch of these operations.
    public init(_ operations: [Operation] = []) {
        self.operations = operations
    }

    /// Whether it does nothing.
    public var isEmpty: Bool { operations.isEmpty }

    /// Whether one of its operations is a `copy`. O(n).
    package var hasCopies: Bool {
        operations.contains { operation in
            if case .copy = operation { true } else { false }
        }
    }

    /// The same operations without their values: where a value is changed, and not to what. O(n).
    package var outline: JSONPatch {
        JSONPatch(
            operations.map { operation in
                switch operation {
                case .add(let path, _): .add(path: path, value: .null)
                case .replace(let path, _): .replace(path: path, value: .null)
                case .test(let path, _): .test(path: path, value: .null)
                case .remove, .move, .copy: operation
                }
            })
    }

    /// The patch of a value that has this one's at `path`.
    package func inside(_ path: some Collection<String>) -> JSONPatch {
        path.isEmpty ? self : JSONPatch(operations.map { $0.inside(path) })
    }

    /// This patch, or one that puts its result in place of everything if that is shorter.
    ///
    /// Linear in the patch.
    package func orReplacement(by result: JSON) -> JSONPatch {
        if operations.count == 1, case .replace(let path, _) = operations[0], path.tokens.isEmpty {
            return self
        }
        let size = operations.reduce(-1) { $0 + $1.encodedSize + 1 }
        // {"op":"replace","path":"","value":}
        let room = size - 35
        guard room > 0, result.encodedSize(upTo: room) < room else { return self }
        return JSONPatch([.replace(path: JSONPointer(), value: result)])
    }

    /// Whether the text of its operations, without the brackets, has more than `size` bytes.
    /// O(`size`).
    package func isLonger(than size: Int) -> Bool {
        var room = size + 1
        for operation in operations {
            room -= operation.encodedSize(upTo: room) + 1
            if room < 0 { return true }
        }
        return false
    }

    /// The operations that turn `old` into `new`: few and small, but not always the fewest.
    ///
    /// A value whose replacement is smaller than its changes is replaced.
    /// Elements of arrays are recognised by their member `id` if all have one, else by equality,
    /// and are moved, inserted and removed one by one.
    ///
    /// Complexity: linear in the size of both and in the depth of what changed, O(n log n) in the
    /// length of an array that changed.
    /// Values that share their storage are not looked into.
    public static func diff(from old: JSON, to new: JSON) -> JSONPatch {
        diff(from: old, to: new, work: .max).patch
    }

    /// As ``diff(from:to:)``, but replaces everything once more than `limit` work was done: in
    /// bytes compared or written, about. Values in one another, of which each has nearly all of the
    /// one around it, are looked through once for each of them.
    package static func diff(
        from old: JSON, to new: JSON, work limit: Int
    ) -> (patch: JSONPatch, work: Int) {
        var diff = JSONDiff(limit: limit)
        diff.compare(old, new)
        let operations =
            diff.isGivenUp ? [.replace(path: JSONPointer(), value: new)] : diff.operations
        return (JSONPatch(operations), diff.work)
    }
}

extension JSONPatch.Operation {
    fileprivate func inside(_ path: some Collection<String>) -> Self {
        func longer(_ pointer: JSONPointer) -> JSONPointer { JSONPointer(path + pointer.tokens) }
        return switch self {
        case .add(let path, let value): .add(path: longer(path), value: value)
        case .remove(let path): .remove(path: longer(path))
        case .replace(let path, let value): .replace(path: longer(path), value: value)
        case .move(let from, let path): .move(from: longer(from), path: longer(path))
        case .copy(let from, let path): .copy(from: longer(from), path: longer(path))
        case .test(let path, let value): .test(path: longer(path), value: value)
        }
    }
}

/// Why a patch can't be read or applied.
public struct JSONPatchError: Error, Hashable, Sendable {
    /// What kind of fault it is.
    public enum Reason: Hashable, Sendable {
        /// The patch is no array of objects, each with a known `op` and the members that it needs.
        case malformed(String)
        /// A path is malformed or leads nowhere.
        case path(JSONPointerError)
        /// A `test` found another value.
        case testFailed(JSONPointer)
        /// A value would be moved into itself.
        case intoItself(JSONPointer)
        /// The result would be nested deeper, or copies be larger, than the limits.
        case tooLarge
    }

    /// What kind of fault it is.
    public var reason: Reason
    /// Which operation of the patch, from 0; nil if it is the patch as a whole.
    public var index: Int?

    init(_ reason: Reason, at index: Int? = nil) {
        self.reason = reason
        self.index = index
    }

    /// The fault as a sentence for people.
    public var message: String {
        let text =
            switch reason {
            case .malformed(let text): text
            case .path(let error): error.message
            case .testFailed(let path): "The value at \"\(path)\" is not the one that was expected."
            case .intoItself(let path): "The value at \"\(path)\" can't be moved into itself."
            case .tooLarge: "The result would be too large or nested too deeply."
            }
        return index.map { "Operation \($0): \(text)" } ?? text
    }
}

extension JSONPatchError: CustomStringConvertible {
    /// The fault as a sentence.
    public var description: String { message }
}
