extension JSON {
    // Not generic in what `change` returns, as each step of the way would then look up its type.

    /// Changes the value at `pointer` in place, without copying what is around it.
    ///
    /// - Parameter depth: how many tokens of the pointer lead to this value.
    /// - Throws: ``JSONPointerError`` if there is none, and what `change` throws.
    package mutating func modify(
        at pointer: JSONPointer, from depth: Int = 0,
        _ change: (inout JSON) throws(JSONPointerError) -> Void
    ) throws(JSONPointerError) {
        try modify(at: pointer, from: depth, to: pointer.tokens.count, change)
    }

    /// Changes the container of what `pointer` points to; `token` is its name or index there.
    package mutating func modifyParent(
        of pointer: JSONPointer, from depth: Int = 0,
        _ change: (inout JSON, _ token: String) throws(JSONPointerError) -> Void
    ) throws(JSONPointerError) {
        guard let token = pointer.tokens.last, depth < pointer.tokens.count else {
            throw JSONPointerError(.root, end: pointer, token: "")
        }
        try modify(at: pointer, from: depth, to: pointer.tokens.count - 1) {
            (parent) throws(JSONPointerError) in
            try change(&parent, token)
        }
    }

    private mutating func modify(
        at pointer: JSONPointer, from depth: Int, to end: Int,
        _ change: (inout JSON) throws(JSONPointerError) -> Void
    ) throws(JSONPointerError) {
        guard depth < end else { return try change(&self) }
        let inArray: Void? = try withArray { (array) throws(JSONPointerError) in
            let index = try pointer.index(at: depth, in: array.count)
            try array[index].modify(at: pointer, from: depth + 1, to: end, change)
        }
        if inArray != nil { return }
        let inObject: Bool? = try withObject { (object) throws(JSONPointerError) in
            try object.withValue(forKey: pointer.tokens[depth]) {
                (value) throws(JSONPointerError) in
                try value.modify(at: pointer, from: depth + 1, to: end, change)
            } != nil
        }
        guard let hasMember = inObject else { throw pointer.missing(depth, .scalar) }
        guard hasMember else { throw pointer.missing(depth, .noMember) }
    }

    /// Adds, replaces or removes a member of an object; or adds an element to an array before the
    /// one that is at an index, or removes it. Nothing else has a place for it.
    package mutating func put(_ value: JSON?, at token: String) {
        _ = withObject { $0[token] = value }
        _ = withArray { array in
            guard let index = JSONPointer.index(token) else { return }
            if let value, index <= array.count {
                array.insert(value, at: index)
            } else if value == nil, index < array.count {
                array.remove(at: index)
            }
        }
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
