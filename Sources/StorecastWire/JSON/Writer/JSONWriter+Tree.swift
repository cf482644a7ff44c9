extension JSONWriter {
    /// Writes a tree.
    ///
    /// Complexity: linear; recursive in the depth of the value.
    public mutating func write(_ value: JSON) {
        switch value {
        case .null: writeNull()
        case .bool(let value): write(value)
        case .int(let value): write(value)
        case .uint(let value): write(value)
        case .double(let value): write(value)
        case .string(let value): write(value)
        case .array(let elements):
            beginArray()
            for element in elements { write(element) }
            endArray()
        case .object(let object): write(object)
        }
    }

    /// Writes an object, its members in their order.
    public mutating func write(_ object: JSONObject) {
        beginObject()
        for (key, value) in object {
            write(key: key)
            write(value)
        }
        endObject()
    }

    /// Writes a tree in the one form that equal values share, for hashing and signing.
    ///
    /// This is RFC 8785 (members sorted by the UTF-16 code units of their names, numbers as in
    /// ECMAScript, `-0` as `0`), except that integers of 64 bits keep all their digits, where that
    /// standard would round them to a double. Complexity: linear, plus the sorting of members.
    public mutating func write(canonical value: JSON) {
        switch value {
        case .null, .bool, .int, .uint, .string: write(value)
        case .double(let number): write(canonical: number)
        case .array(let elements):
            beginArray()
            for element in elements { write(canonical: element) }
            endArray()
        case .object(let object):
            beginObject()
            let members = object.sorted { $0.key.utf16.lexicographicallyPrecedes($1.key.utf16) }
            for (key, value) in members {
                write(key: key)
                write(canonical: value)
            }
            endObject()
        }
    }

    private mutating func write(canonical number: Double) {
        if let integer = number.wholeInt64 { return write(integer) }
        if let integer = number.wholeUInt64 { return write(integer) }
        guard number.isFinite else { return writeNull() }
        separate()
        DoubleText(number).append(to: &bytes)
    }
}
