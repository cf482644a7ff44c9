extension JSON {
    /// Changes the value at `pointer` in place, without copying what is around it.
    ///
    /// - Throws: ``JSONPointerError`` if there is none, and what `change` throws.
    package mutating func modify<R>(
        at pointer: JSONPointer, _ change: (inout JSON) throws(JSONPointerError) -> R
    ) throws(JSONPointerError) -> R {
        try modify(at: pointer, from: 0, to: pointer.tokens.count, change)
    }

    /// Changes the container of what `pointer` points to; `token` is its name or index there.
    mutating func modifyParent<R>(
        of pointer: JSONPointer,
        _ change: (inout JSON, _ token: String) throws(JSONPointerError) -> R
    ) throws(JSONPointerError) -> R {
        guard let token = pointer.tokens.last else {
            throw JSONPointerError(.root, end: pointer, token: "")
        }
        return try modify(at: pointer, from: 0, to: pointer.tokens.count - 1) {
            (parent) throws(JSONPointerError) in
            try change(&parent, token)
        }
    }

    private mutating func modify<R>(
        at pointer: JSONPointer, from depth: Int, to end: Int,
        _ change: (inout JSON) throws(JSONPointerError) -> R
    ) throws(JSONPointerError) -> R {
        guard depth < end else { return try change(&self) }
        if case .array = self {
            let result = try withArray { (array) throws(JSONPointerError) -> R in
                let index = try pointer.index(at: depth, in: array.count)
                return try array[index].modify(at: pointer, from: depth + 1, to: end, change)
            }
            if let result { return result }
        }
        let token = pointer.tokens[depth]
        let result = try withObject { (object) throws(JSONPointerError) -> R? in
            try object.withValue(forKey: token) { (value) throws(JSONPointerError) -> R in
                try value.modify(at: pointer, from: depth + 1, to: end, change)
            }
        }
        // The outer optional: whether it is an object. The inner: whether it has the member.
        guard let found = result else { throw pointer.missing(depth, .scalar) }
        guard let value = found else { throw pointer.missing(depth, .noMember) }
        return value
    }
}

extension JSON {
    /// Applies a JSON Merge Patch (RFC 7396): members of objects are merged, those that are null in
    /// the patch removed, anything else replaced.
    ///
    /// Complexity: linear in the patch, and in place while nobody else holds the value.
    public mutating func merge(_ patch: JSON) {
        guard case .object(let members) = patch else { return self = patch }
        if object == nil { self = .object(JSONObject()) }
        _ = withObject { object in
            for (key, change) in members {
                if change.isNull {
                    object.removeValue(forKey: key)
                } else if object.withValue(forKey: key, { $0.merge(change) }) == nil {
                    // Nulls inside a new member are left out too.
                    var value = JSON.null
                    value.merge(change)
                    object.append(key, value)
                }
            }
        }
    }
}
