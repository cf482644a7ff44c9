/// The members of an object, for types with coding keys.
struct JSONKeyedDecoding<Key: CodingKey>: KeyedDecodingContainerProtocol {
    let scope: JSONDecodingScope

    var codingPath: [any CodingKey] { scope.codingPath }

    var allKeys: [Key] { scope.view.members.compactMap { Key(stringValue: $0.key) } }

    func contains(_ key: Key) -> Bool { scope.member(key.stringValue) != nil }

    func decodeNil(forKey key: Key) throws -> Bool { try decoder(key).decodeNil() }

    func decode(_ type: Bool.Type, forKey key: Key) throws -> Bool { try decoder(key).decode(type) }
    func decode(_ type: String.Type, forKey key: Key) throws -> String {
        try decoder(key).decode(type)
    }
    func decode(_ type: Double.Type, forKey key: Key) throws -> Double {
        try decoder(key).decode(type)
    }
    func decode(_ type: Float.Type, forKey key: Key) throws -> Float {
        try decoder(key).decode(type)
    }
    func decode(_ type: Int.Type, forKey key: Key) throws -> Int { try integer(key) }
    func decode(_ type: Int8.Type, forKey key: Key) throws -> Int8 { try integer(key) }
    func decode(_ type: Int16.Type, forKey key: Key) throws -> Int16 { try integer(key) }
    func decode(_ type: Int32.Type, forKey key: Key) throws -> Int32 { try integer(key) }
    func decode(_ type: Int64.Type, forKey key: Key) throws -> Int64 { try integer(key) }
    func decode(_ type: UInt.Type, forKey key: Key) throws -> UInt { try integer(key) }
    func decode(_ type: UInt8.Type, forKey key: Key) throws -> UInt8 { try integer(key) }
    func decode(_ type: UInt16.Type, forKey key: Key) throws -> UInt16 { try integer(key) }
    func decode(_ type: UInt32.Type, forKey key: Key) throws -> UInt32 { try integer(key) }
    func decode(_ type: UInt64.Type, forKey key: Key) throws -> UInt64 { try integer(key) }
    func decode(_ type: Int128.Type, forKey key: Key) throws -> Int128 {
        try decoder(key).decode(type)
    }
    func decode(_ type: UInt128.Type, forKey key: Key) throws -> UInt128 {
        try decoder(key).decode(type)
    }
    func decode<T: Decodable>(_ type: T.Type, forKey key: Key) throws -> T {
        try decoder(key).decode(type)
    }

    func nestedContainer<Nested: CodingKey>(
        keyedBy type: Nested.Type, forKey key: Key
    ) throws -> KeyedDecodingContainer<Nested> {
        try decoder(key).container(keyedBy: type)
    }

    func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
        try decoder(key).unkeyedContainer()
    }

    func superDecoder() throws -> any Decoder { try decoder(JSONCodingKey.super) }
    func superDecoder(forKey key: Key) throws -> any Decoder { try decoder(key) }

    @inline(__always)
    private func integer<I: FixedWidthInteger>(_ key: Key) throws -> I {
        try decoder(key).integer(I.self)
    }

    @inline(__always)
    private func decoder(_ key: some CodingKey) throws -> JSONViewDecoder {
        let name = key.stringValue
        guard let view = try scope.member(name) ?? scope.memberDefault(name) else {
            throw DecodingError.keyNotFound(
                key,
                DecodingError.Context(
                    codingPath: codingPath,
                    debugDescription: "the member \"\(key.stringValue)\" is missing"))
        }
        return JSONViewDecoder(view, in: scope)
    }
}

/// The elements of an array, one after the other.
struct JSONUnkeyedDecoding: UnkeyedDecodingContainer {
    private let scope: JSONDecodingScope
    private(set) var currentIndex = 0

    init(_ decoder: JSONViewDecoder) {
        scope = JSONDecodingScope(decoder)
        cursor = scope.cursor
    }

    /// The tape index of the next element; copies of a container go their own ways.
    private var cursor: Int

    var codingPath: [any CodingKey] { scope.codingPath }
    var count: Int? { scope.view.count }
    var isAtEnd: Bool { cursor >= scope.view.entry.link }

    mutating func decodeNil() throws -> Bool {
        guard try decoder(JSON?.self).decodeNil() else { return false }
        advance()
        return true
    }

    mutating func decode(_ type: Bool.Type) throws -> Bool { try next { try $0.decode(type) } }
    mutating func decode(_ type: String.Type) throws -> String { try next { try $0.decode(type) } }
    mutating func decode(_ type: Double.Type) throws -> Double { try next { try $0.decode(type) } }
    mutating func decode(_ type: Float.Type) throws -> Float { try next { try $0.decode(type) } }
    mutating func decode(_ type: Int.Type) throws -> Int { try next { try $0.decode(type) } }
    mutating func decode(_ type: Int8.Type) throws -> Int8 { try next { try $0.decode(type) } }
    mutating func decode(_ type: Int16.Type) throws -> Int16 { try next { try $0.decode(type) } }
    mutating func decode(_ type: Int32.Type) throws -> Int32 { try next { try $0.decode(type) } }
    mutating func decode(_ type: Int64.Type) throws -> Int64 { try next { try $0.decode(type) } }
    mutating func decode(_ type: UInt.Type) throws -> UInt { try next { try $0.decode(type) } }
    mutating func decode(_ type: UInt8.Type) throws -> UInt8 { try next { try $0.decode(type) } }
    mutating func decode(_ type: UInt16.Type) throws -> UInt16 { try next { try $0.decode(type) } }
    mutating func decode(_ type: UInt32.Type) throws -> UInt32 { try next { try $0.decode(type) } }
    mutating func decode(_ type: UInt64.Type) throws -> UInt64 { try next { try $0.decode(type) } }
    mutating func decode(_ type: Int128.Type) throws -> Int128 { try next { try $0.decode(type) } }
    mutating func decode(_ type: UInt128.Type) throws -> UInt128 {
        try next { try $0.decode(type) }
    }
    mutating func decode<T: Decodable>(_ type: T.Type) throws -> T {
        try next { try $0.decode(type) }
    }

    mutating func nestedContainer<Nested: CodingKey>(
        keyedBy type: Nested.Type
    ) throws -> KeyedDecodingContainer<Nested> {
        try next { try $0.container(keyedBy: type) }
    }

    mutating func nestedUnkeyedContainer() throws -> any UnkeyedDecodingContainer {
        try next { try $0.unkeyedContainer() }
    }

    mutating func superDecoder() throws -> any Decoder { try next { $0 } }

    /// Reads the next element; one that can't be read stays the next.
    @inline(__always)
    private mutating func next<R>(_ read: (JSONViewDecoder) throws -> R) throws -> R {
        let value = try read(decoder(R.self))
        advance()
        return value
    }

    @inline(__always)
    private mutating func advance() {
        cursor = scope.decoder.tape.after(cursor)
        currentIndex += 1
    }

    @inline(__always)
    private func decoder(_ type: Any.Type) throws -> JSONViewDecoder {
        guard !isAtEnd else {
            throw DecodingError.valueNotFound(
                type,
                DecodingError.Context(
                    codingPath: codingPath + [JSONCodingKey(intValue: currentIndex)],
                    debugDescription: "the array has only \(scope.view.count) elements"))
        }
        let view = JSONView(scope.decoder.tape, cursor)
        return JSONViewDecoder(view, position: currentIndex, in: scope)
    }
}
