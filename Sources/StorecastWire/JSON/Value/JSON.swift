/// A JSON value (RFC 8259).
///
/// Numbers remember how they were written, as an integer of up to 64 bits or as a `Double`, but
/// compare by value: `1` equals `1.0`, as RFC 6902 asks of `test`. Strings and member names
/// compare by their code points, as RFC 8259 §8.3 asks: unlike Swift's `String`, which also equates
/// canonically equivalent texts.
public enum JSON: Sendable {
    /// `null`.
    case null
    /// `true` or `false`.
    case bool(Bool)
    /// An integer that fits in 64 bits, signed.
    case int(Int64)
    /// An integer above `Int64.max`. Smaller ones are `int`; both forms compare equal.
    case uint(UInt64)
    /// Any other number. JSON has no text for infinity and not-a-number: they are written as
    /// `null`.
    case double(Double)
    /// A string.
    case string(String)
    /// An array.
    case array([JSON])
    /// An object.
    case object(JSONObject)
}

extension JSON {
    /// Reads a JSON text.
    ///
    /// - Throws: ``JSONError`` if `text` isn't exactly one JSON value within `limits`.
    public init(parsing text: String, limits: JSONLimits = JSONLimits()) throws(JSONError) {
        self = try JSONDocument(text, limits: limits).root.json
    }

    /// Whether this is `null`.
    public var isNull: Bool {
        if case .null = self { true } else { false }
    }

    /// Whether this is neither an array nor an object.
    var isScalar: Bool {
        switch self {
        case .array, .object: false
        default: true
        }
    }

    /// The value of `true` and `false`; nil for anything else.
    public var bool: Bool? {
        if case .bool(let value) = self { value } else { nil }
    }

    /// The text of a string; nil for anything else.
    public var string: String? {
        if case .string(let value) = self { value } else { nil }
    }

    /// The elements of an array; nil for anything else.
    public var array: [JSON]? {
        if case .array(let value) = self { value } else { nil }
    }

    /// The members of an object; nil for anything else.
    public var object: JSONObject? {
        if case .object(let value) = self { value } else { nil }
    }

    /// A number that is exactly an `Int`; nil for anything else.
    public var int: Int? {
        int64.flatMap(Int.init(exactly:))
    }

    /// A number that is exactly an `Int64`; nil for anything else.
    ///
    /// A double is one below 2^53: from there on it may be another integer's nearest double.
    public var int64: Int64? {
        switch self {
        case .int(let value): value
        case .uint(let value): Int64(exactly: value)
        case .double(let value): value.magnitude < 0x1p53 ? value.wholeInt64 : nil
        default: nil
        }
    }

    /// A number that is exactly a `UInt64`; nil for anything else.
    public var uint64: UInt64? {
        if case .uint(let value) = self { value } else { int64.flatMap(UInt64.init(exactly:)) }
    }

    /// A number's value if it is an integer of 64 bits, however it was written.
    package var wholeNumber: Int128? {
        switch self {
        case .int(let value): Int128(value)
        case .uint(let value): Int128(value)
        case .double(let value):
            value.wholeInt64.map { Int128($0) } ?? value.wholeUInt64.map { Int128($0) }
        default: nil
        }
    }

    /// The `Double` nearest to a number; nil for anything else.
    public var double: Double? {
        switch self {
        case .int(let value): Double(value)
        case .uint(let value): Double(value)
        case .double(let value): value
        default: nil
        }
    }

    /// The member called `key` of an object; nil for anything else and for a missing member.
    ///
    /// Setting nil removes the member. Setting a value on anything but an object is a programming
    /// error.
    public subscript(key: String) -> JSON? {
        get {
            if case .object(let object) = self { object[key] } else { nil }
        }
        set {
            let changed: Void? = withObject { $0[key] = newValue }
            precondition(changed != nil, "only an object has members")
        }
    }

    /// The element at `index` of an array.
    ///
    /// Reading outside the array, or from anything else, gives nil. Setting nil removes the
    /// element; setting outside the array is a programming error.
    public subscript(index: Int) -> JSON? {
        get {
            if case .array(let array) = self, array.indices.contains(index) {
                array[index]
            } else {
                nil
            }
        }
        set {
            let changed: Void? = withArray { array in
                if let newValue { array[index] = newValue } else { array.remove(at: index) }
            }
            precondition(changed != nil, "only an array has elements")
        }
    }

    /// Changes an object in place, without a copy when nobody else holds it; nil if it isn't one.
    package mutating func withObject<R, E: Error>(
        _ change: (inout JSONObject) throws(E) -> R
    ) throws(E) -> R? {
        guard case .object(var object) = self else { return nil }
        // Let go of our own reference, or the change would copy.
        self = .null
        defer { self = .object(object) }
        return try change(&object)
    }

    /// Changes an array in place, without a copy when nobody else holds it; nil if it isn't one.
    package mutating func withArray<R, E: Error>(
        _ change: (inout [JSON]) throws(E) -> R
    ) throws(E) -> R? {
        guard case .array(var array) = self else { return nil }
        self = .null
        defer { self = .array(array) }
        return try change(&array)
    }
}

// Not by `nil`: where a `JSON?` was meant, a `nil` would silently become `null`.

extension JSON: ExpressibleByBooleanLiteral {
    /// `true` or `false`.
    public init(booleanLiteral value: Bool) { self = .bool(value) }
}

extension JSON: ExpressibleByIntegerLiteral {
    /// An integer.
    public init(integerLiteral value: Int64) { self = .int(value) }
}

extension JSON: ExpressibleByFloatLiteral {
    /// A number with a fraction.
    public init(floatLiteral value: Double) { self = .double(value) }
}

extension JSON: ExpressibleByStringLiteral {
    /// A string.
    public init(stringLiteral value: String) { self = .string(value) }
}

extension JSON: ExpressibleByArrayLiteral {
    /// An array.
    public init(arrayLiteral elements: JSON...) { self = .array(elements) }
}

extension JSON: ExpressibleByDictionaryLiteral {
    /// An object, with its members in the order written; of two with one name the later counts.
    public init(dictionaryLiteral members: (String, JSON)...) {
        self = .object(JSONObject(members))
    }
}
