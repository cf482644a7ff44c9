extension JSONView {
    /// The text of a string; nil for anything else.
    public var string: String? { isString ? tape.string(index) : nil }

    /// Whether this is the string `text`. Makes no `String`.
    public func isString(_ text: StaticString) -> Bool {
        isString
            && tape.isString(
                index, UnsafeRawBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount))
    }

    /// The value of `true` and `false`; nil for anything else.
    public var bool: Bool? {
        switch entry.kind {
        case .true: true
        case .false: false
        default: nil
        }
    }

    /// A number that is exactly an `Int`; nil for anything else.
    public var int: Int? { int64.flatMap(Int.init(exactly:)) }

    /// A number that is exactly an `Int64`; nil for anything else.
    ///
    /// `9007199254740993.0` and `1e3` are, by what is written and not by the nearest double.
    public var int64: Int64? {
        switch entry.kind {
        case .int: Int64(bitPattern: entry.payload)
        case .double: withBytes(DecimalDigits.init)?.integer()
        default: nil
        }
    }

    /// A number that is exactly a `UInt64`; nil for anything else.
    public var uint64: UInt64? {
        switch entry.kind {
        case .uint: entry.payload
        case .double: withBytes(DecimalDigits.init)?.integer()
        default: int64.flatMap(UInt64.init(exactly:))
        }
    }

    /// The `Double` nearest to a number; nil for anything else.
    public var double: Double? {
        switch entry.kind {
        case .int: Double(Int64(bitPattern: entry.payload))
        case .uint: Double(entry.payload)
        case .double: Double(bitPattern: entry.payload)
        default: nil
        }
    }

    /// The value as a tree.
    ///
    /// Complexity: linear in its text.
    public var json: JSON {
        switch entry.kind {
        case .null: .null
        case .true: .bool(true)
        case .false: .bool(false)
        case .int: .int(Int64(bitPattern: entry.payload))
        case .uint: .uint(entry.payload)
        case .double: .double(Double(bitPattern: entry.payload))
        case .string, .escapedString: .string(tape.string(index))
        case .array: .array(elements.map(\.json))
        case .object: .object(treeObject)
        }
    }

    private var treeObject: JSONObject {
        var object = JSONObject(reserving: entry.count)
        // The scanner made sure that the names differ.
        for (key, value) in members { object.append(key, value.json) }
        return object
    }
}
