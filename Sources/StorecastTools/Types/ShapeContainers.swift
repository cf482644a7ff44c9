/// Notes the members of an object.
struct ShapeMembers<Key: CodingKey>: KeyedDecodingContainerProtocol {
    let recording: ShapeRecording

    var codingPath: [any CodingKey] { [] }
    var allKeys: [Key] { recording.names(of: Key.self) }

    func contains(_ key: Key) -> Bool {
        recording.mayLack(key.stringValue)
        return true
    }

    func decodeNil(forKey key: Key) -> Bool {
        recording.mayLack(key.stringValue)
        return false
    }

    func decode<T: Decodable>(_ type: T.Type, forKey key: Key) throws -> T {
        try recording.member(key.stringValue).value(type)
    }

    func decodeIfPresent<T: Decodable>(_ type: T.Type, forKey key: Key) throws -> T? {
        recording.mayLack(key.stringValue)
        _ = try? recording.member(key.stringValue).value(type)
        return nil
    }

    func nestedContainer<Nested: CodingKey>(
        keyedBy type: Nested.Type, forKey key: Key
    ) -> KeyedDecodingContainer<Nested> {
        recording.member(key.stringValue).container(keyedBy: type)
    }

    func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedDecodingContainer {
        recording.member(key.stringValue).unkeyedContainer()
    }

    func superDecoder() -> any Decoder { recording.member("super") }

    func superDecoder(forKey key: Key) -> any Decoder { recording.member(key.stringValue) }
}

/// Notes the elements of an array, which has one of them.
struct ShapeElements: UnkeyedDecodingContainer {
    let recording: ShapeRecording
    private(set) var currentIndex = 0

    init(recording: ShapeRecording) {
        self.recording = recording
    }

    var codingPath: [any CodingKey] { [] }
    var count: Int? { 1 }
    var isAtEnd: Bool { currentIndex > 0 }

    mutating func decodeNil() -> Bool { false }

    mutating func decode<T: Decodable>(_ type: T.Type) throws -> T {
        currentIndex += 1
        return try recording.value(type)
    }

    mutating func nestedContainer<Nested: CodingKey>(
        keyedBy type: Nested.Type
    ) -> KeyedDecodingContainer<Nested> {
        currentIndex += 1
        return recording.container(keyedBy: type)
    }

    mutating func nestedUnkeyedContainer() -> any UnkeyedDecodingContainer {
        currentIndex += 1
        return recording.unkeyedContainer()
    }

    mutating func superDecoder() -> any Decoder {
        currentIndex += 1
        return recording
    }
}

/// Notes the one value that a type is.
struct ShapeScalar: SingleValueDecodingContainer {
    let recording: ShapeRecording

    var codingPath: [any CodingKey] { [] }

    func decodeNil() -> Bool { false }

    func decode<T: Decodable>(_ type: T.Type) throws -> T { try recording.single(type) }
}
