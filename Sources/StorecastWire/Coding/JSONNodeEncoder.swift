/// Encodes one value into a node of a ``JSONEncoding``.
struct JSONNodeEncoder: Encoder {
    let encoding: JSONEncoding
    let index: Int

    init(_ encoding: JSONEncoding, _ index: Int) {
        self.encoding = encoding
        self.index = index
    }

    var codingPath: [any CodingKey] { encoding.path(index) }
    var userInfo: [CodingUserInfoKey: Any] { [:] }

    func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
        encoding.open(index, .object)
        return KeyedEncodingContainer(JSONKeyedEncoding<Key>(encoding: encoding, index: index))
    }

    func unkeyedContainer() -> any UnkeyedEncodingContainer {
        encoding.open(index, .array)
        return JSONUnkeyedEncoding(encoding: encoding, index: index)
    }

    func singleValueContainer() -> any SingleValueEncodingContainer { self }

    /// Encodes `value` here: at once when it is a scalar or a tree, else through its own
    /// `encode(to:)`.
    func put<T: Encodable>(_ value: T) throws {
        if encoding.isShallow {
            encoding.keep(value, at: index)
        } else if let scalar = try Self.scalar(value) {
            encoding.set(index, scalar)
        } else {
            try encoding.checkLimits()
            try value.encode(to: self)
        }
    }

    /// The JSON of the types that arrays, optionals and dictionaries mostly hold, and of those
    /// that aren't written as their own `encode(to:)` does.
    @inline(__always)
    static func scalar<T: Encodable>(_ value: T) throws -> JSON? {
        if T.self == String.self { return (value as? String).map(JSON.string) }
        if T.self == Int.self { return (value as? Int).map { .int(Int64($0)) } }
        if T.self == JSON.self { return value as? JSON }
        return try FoundationType(T.self)?.json(of: value)
    }
}

extension JSON {
    /// The smallest form that holds the integer.
    @inline(__always)
    init(integer value: some FixedWidthInteger) {
        self = Int64(exactly: value).map(JSON.int) ?? .uint(UInt64(truncatingIfNeeded: value))
    }

    /// A number; as text where JSON has none for it.
    init(number value: Double) {
        self = value.isFinite ? .double(value) : .string(Self.word(for: value))
    }

    /// A number: the shortest text of a `Float` is not that of the `Double` with the same value.
    init(number value: Float) {
        let short = value.isFinite ? Double(value.description) : nil
        self = short.map(JSON.double) ?? JSON(number: Double(value))
    }

    /// As Protocol Buffers' JSON has it too.
    private static func word(for number: Double) -> String {
        number.isNaN ? "NaN" : number < 0 ? "-Infinity" : "Infinity"
    }

    /// The number that ``init(number:)`` writes as a word.
    static func number(_ word: JSONView) -> Double? {
        if word.isString("NaN") { return .nan }
        if word.isString("Infinity") { return .infinity }
        return word.isString("-Infinity") ? -.infinity : nil
    }
}

extension JSONNodeEncoder: SingleValueEncodingContainer {
    func encodeNil() { encoding.set(index, .null) }
    func encode(_ value: Bool) { encoding.set(index, .bool(value)) }
    func encode(_ value: String) { encoding.set(index, .string(value)) }
    func encode(_ value: Double) { encoding.set(index, JSON(number: value)) }
    func encode(_ value: Float) { encoding.set(index, JSON(number: value)) }
    func encode(_ value: Int) { encoding.set(index, JSON(integer: value)) }
    func encode(_ value: Int8) { encoding.set(index, JSON(integer: value)) }
    func encode(_ value: Int16) { encoding.set(index, JSON(integer: value)) }
    func encode(_ value: Int32) { encoding.set(index, JSON(integer: value)) }
    func encode(_ value: Int64) { encoding.set(index, JSON(integer: value)) }
    func encode(_ value: UInt) { encoding.set(index, JSON(integer: value)) }
    func encode(_ value: UInt8) { encoding.set(index, JSON(integer: value)) }
    func encode(_ value: UInt16) { encoding.set(index, JSON(integer: value)) }
    func encode(_ value: UInt32) { encoding.set(index, JSON(integer: value)) }
    func encode(_ value: UInt64) { encoding.set(index, JSON(integer: value)) }
    func encode(_ value: Int128) { encoding.set(index, .string("\(value)")) }
    func encode(_ value: UInt128) { encoding.set(index, .string("\(value)")) }
    func encode<T: Encodable>(_ value: T) throws { try put(value) }
}
