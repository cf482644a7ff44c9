/// Finds the operations that make one value another.
struct JSONDiff {
    private(set) var operations: [JSONPatch.Operation] = []
    /// How many bytes of text the operations make, a comma for each included.
    private var size = 0
    /// Where the comparison is.
    private var path = JSONPointer()

    mutating func compare(_ old: JSON, _ new: JSON) {
        let (mark, before) = (operations.count, size)
        switch (old, new) {
        case (.object(let old), .object(let new)): compare(old, new)
        case (.array(let old), .array(let new)): compare(old, new)
        default:
            if old != new { emit(.replace(path: path, value: new)) }
            return
        }
        // One operation that replaces it all, {"op":"replace","path":,"value":} and a comma, may be
        // smaller than the many that change it.
        guard operations.count > mark else { return }
        let whole = 34 + JSON.size(path.description)
        let room = size - before - whole
        guard room > 0, new.encodedSize(upTo: room) < room else { return }
        operations.removeSubrange(mark...)
        size = before
        emit(.replace(path: path, value: new))
    }

    mutating func emit(_ operation: JSONPatch.Operation) {
        size += operation.encodedSize + 1
        operations.append(operation)
    }

    /// Compares two members or elements that are at `token` of this place.
    mutating func compare(_ old: JSON, _ new: JSON, at token: String) {
        path.tokens.append(token)
        compare(old, new)
        path.tokens.removeLast()
    }

    /// The path of a member or element of this place.
    func pointer(_ token: String) -> JSONPointer { path.appending(token) }

    private mutating func compare(_ old: JSONObject, _ new: JSONObject) {
        if old.isSameStorage(as: new) { return }
        var kept = 0
        var inOrder = new.makeIterator()
        for (key, value) in old {
            // Two versions of one object mostly have their members in the same order.
            let next = inOrder.next()
            let isNext = next.map { $0.key.isSameText(as: key) } ?? false
            if let match = isNext ? next?.value : new[key] {
                kept += 1
                compareUnlessEqual(value, match, at: key)
            } else {
                emit(.remove(path: pointer(key)))
            }
        }
        guard kept < new.count else { return }
        for (key, value) in new where old[key] == nil {
            emit(.add(path: pointer(key), value: value))
        }
    }

    /// As ``compare(_:_:at:)``, without building the path for scalars that are equal.
    @inline(__always)
    private mutating func compareUnlessEqual(_ old: JSON, _ new: JSON, at token: String) {
        switch (old, new) {
        case (.object, .object), (.array, .array): compare(old, new, at: token)
        default: if old != new { compare(old, new, at: token) }
        }
    }
}
