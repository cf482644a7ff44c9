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
