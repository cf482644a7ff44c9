/// The members of an object that is being encoded.
struct JSONKeyedEncoding<Key: CodingKey>: KeyedEncodingContainerProtocol {
    let encoding: JSONEncoding
    let index: Int

    var codingPath: [any CodingKey] { encoding.path(index) }

    func encodeNil(forKey key: Key) { put(.null, key) }
    func encode(_ value: Bool, forKey key: Key) { put(.bool(value), key) }
    func encode(_ value: String, forKey key: Key) { put(.string(value), key) }
    func encode(_ value: Double, forKey key: Key) { put(JSON(number: value), key) }
    func encode(_ value: Float, forKey key: Key) { put(JSON(number: value), key) }
    func encode(_ value: Int, forKey key: Key) { put(JSON(integer: value), key) }
    func encode(_ value: Int8, forKey key: Key) { put(JSON(integer: value), key) }
    func encode(_ value: Int16, forKey key: Key) { put(JSON(integer: value), key) }
    func encode(_ value: Int32, forKey key: Key) { put(JSON(integer: value), key) }
    func encode(_ value: Int64, forKey key: Key) { put(JSON(integer: value), key) }
    func encode(_ value: UInt, forKey key: Key) { put(JSON(integer: value), key) }
    func encode(_ value: UInt8, forKey key: Key) { put(JSON(integer: value), key) }
    func encode(_ value: UInt16, forKey key: Key) { put(JSON(integer: value), key) }
    func encode(_ value: UInt32, forKey key: Key) { put(JSON(integer: value), key) }
    func encode(_ value: UInt64, forKey key: Key) { put(JSON(integer: value), key) }
    func encode(_ value: Int128, forKey key: Key) { put(.string("\(value)"), key) }
    func encode(_ value: UInt128, forKey key: Key) { put(.string("\(value)"), key) }
    func encode<T: Encodable>(_ value: T, forKey key: Key) throws {
        if encoding.isShallow { return encoding.keep(value, at: add(key)) }
        if let scalar = try JSONNodeEncoder.scalar(value) { return put(scalar, key) }
        try encoding.checkLimits()
        try value.encode(to: encoder(key))
    }

    func nestedContainer<Nested: CodingKey>(
        keyedBy type: Nested.Type, forKey key: Key
    ) -> KeyedEncodingContainer<Nested> {
        encoder(key).container(keyedBy: type)
    }

    func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer {
        encoder(key).unkeyedContainer()
    }

    func superEncoder() -> any Encoder { encoder(JSONCodingKey.super) }
    func superEncoder(forKey key: Key) -> any Encoder { encoder(key) }

    @inline(__always)
    private func put(_ value: JSON, _ key: Key) {
        encoding.add(key.stringValue, value, .value, to: index)
    }

    private func add(_ key: some CodingKey) -> Int { encoding.add(key.stringValue, to: index) }

    private func encoder(_ key: some CodingKey) -> JSONNodeEncoder {
        JSONNodeEncoder(encoding, add(key))
    }
}

/// The elements of an array that is being encoded.
struct JSONUnkeyedEncoding: UnkeyedEncodingContainer {
    let encoding: JSONEncoding
    let index: Int

    var codingPath: [any CodingKey] { encoding.path(index) }
    var count: Int { Int(encoding.nodes[index].count) }

    func encodeNil() { put(.null) }
    func encode(_ value: Bool) { put(.bool(value)) }
    func encode(_ value: String) { put(.string(value)) }
    func encode(_ value: Double) { put(JSON(number: value)) }
    func encode(_ value: Float) { put(JSON(number: value)) }
    func encode(_ value: Int) { put(JSON(integer: value)) }
    func encode(_ value: Int8) { put(JSON(integer: value)) }
    func encode(_ value: Int16) { put(JSON(integer: value)) }
    func encode(_ value: Int32) { put(JSON(integer: value)) }
    func encode(_ value: Int64) { put(JSON(integer: value)) }
    func encode(_ value: UInt) { put(JSON(integer: value)) }
    func encode(_ value: UInt8) { put(JSON(integer: value)) }
    func encode(_ value: UInt16) { put(JSON(integer: value)) }
    func encode(_ value: UInt32) { put(JSON(integer: value)) }
    func encode(_ value: UInt64) { put(JSON(integer: value)) }
    func encode(_ value: Int128) { put(.string("\(value)")) }
    func encode(_ value: UInt128) { put(.string("\(value)")) }
    func encode<T: Encodable>(_ value: T) throws {
        if encoding.isShallow { return encoding.keep(value, at: encoding.add("", to: index)) }
        if let scalar = try JSONNodeEncoder.scalar(value) { return put(scalar) }
        try encoding.checkLimits()
        try value.encode(to: encoder())
    }

    func nestedContainer<Nested: CodingKey>(
        keyedBy type: Nested.Type
    ) -> KeyedEncodingContainer<Nested> {
        encoder().container(keyedBy: type)
    }

    func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer { encoder().unkeyedContainer() }
    func superEncoder() -> any Encoder { encoder() }

    @inline(__always)
    private func put(_ value: JSON) { encoding.add("", value, .value, to: index) }

    private func encoder() -> JSONNodeEncoder {
        JSONNodeEncoder(encoding, encoding.add("", to: index))
    }
}
