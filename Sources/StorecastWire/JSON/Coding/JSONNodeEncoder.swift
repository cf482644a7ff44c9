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
        if let scalar = Self.scalar(value) {
            encoding.set(index, scalar)
        } else {
            try value.encode(to: self)
        }
    }

    /// The JSON of the types that arrays, optionals and dictionaries mostly hold.
    @inline(__always)
    static func scalar<T>(_ value: T) -> JSON? {
        if T.self == String.self { return (value as? String).map(JSON.string) }
        if T.self == Int.self { return (value as? Int).map { .int(Int64($0)) } }
        if T.self == JSON.self { return value as? JSON }
        return nil
    }

    /// The JSON of a number that may be infinite or not a number.
    func number<F: BinaryFloatingPoint>(
        _ value: F, forKey key: @autoclosure () -> (any CodingKey)?
    ) throws -> JSON {
        guard value.isFinite else {
            let context = EncodingError.Context(
                codingPath: codingPath + (key().map { [$0] } ?? []),
                debugDescription: "JSON has no text for the number \(value)")
            throw EncodingError.invalidValue(value, context)
        }
        // The shortest text of a Float is not that of the Double with the same value.
        if let narrow = value as? Float, let short = Double(narrow.description) {
            return .double(short)
        }
        return .double(Double(value))
    }
}

extension JSON {
    /// The smallest form that holds the integer.
    @inline(__always)
    init(integer value: some FixedWidthInteger) {
        self = Int64(exactly: value).map(JSON.int) ?? .uint(UInt64(truncatingIfNeeded: value))
    }
}

extension JSONNodeEncoder: SingleValueEncodingContainer {
    func encodeNil() { encoding.set(index, .null) }
    func encode(_ value: Bool) { encoding.set(index, .bool(value)) }
    func encode(_ value: String) { encoding.set(index, .string(value)) }
    func encode(_ value: Double) throws { encoding.set(index, try number(value, forKey: nil)) }
    func encode(_ value: Float) throws { encoding.set(index, try number(value, forKey: nil)) }
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
    func encode<T: Encodable>(_ value: T) throws { try put(value) }
}
