import StorecastSync

extension JSON {
    /// Changes the value at `path` in place, or a new member of an object that starts as `initial`;
    /// without effect if the path can't be followed.
    mutating func change(
        at path: JSONPath, from initial: JSON, _ change: (inout JSON) -> Void
    ) {
        do {
            try modify(at: path.pointer) { (value) in change(&value) }
        } catch {
            guard path.isMember(missing: error) else { return }
            var value = initial
            change(&value)
            edit(parentOf: path) { parent, name in
                _ = parent.withObject { $0[name] = value }
            }
        }
    }

    /// Changes the object or array in which the last step of `path` is looked for.
    mutating func edit(
        parentOf path: JSONPath, _ change: (_ parent: inout JSON, _ step: String) -> Void
    ) {
        var steps = path.pointer.tokens
        guard let last = steps.popLast() else { return }
        try? modify(at: JSONPointer(steps)) { (parent) in change(&parent, last) }
    }

    /// The exact sum of two numbers: an integer if both are, rejected if it doesn't fit into 64
    /// bits, signed or not; else a double, rejected if it isn't finite.
    ///
    /// `2.0` is an integer, as a document that was written and read has it as `2`.
    func adding(_ other: JSON) throws(Rejection) -> JSON {
        if let left = wholeNumber, let right = other.wholeNumber {
            let sum = left + right
            if let small = Int64(exactly: sum) { return .int(small) }
            if let large = UInt64(exactly: sum) { return .uint(large) }
            throw Rejection(
                .conflict, "The sum is out of range.",
                detail: "\(sum) is not an integer of 64 bits.")
        }
        guard let left = double, let right = other.double else {
            throw Rejection(
                .conflict, "Only a number can be incremented.",
                detail: "There is \(kindName) at the path.")
        }
        let sum = left + right
        guard sum.isFinite else { throw Rejection(.conflict, "The sum is out of range.") }
        return .double(sum)
    }

    /// What this is, in words.
    var kindName: String {
        switch self {
        case .null: "null"
        case .bool: "a boolean"
        case .int, .uint, .double: "a number"
        case .string: "a string"
        case .array: "an array"
        case .object: "an object"
        }
    }
}
