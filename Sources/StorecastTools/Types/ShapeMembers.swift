/// The members of an object that a type asks for.
struct ShapeMembers<Key: CodingKey>: KeyedDecodingContainerProtocol {
    let codingPath: [any CodingKey] = []
    private let decoder: ShapeDecoder
    /// What a type's keys can't be, unless they can be anything.
    private static var anyName: String { "any name" }

    init(_ decoder: ShapeDecoder) {
        self.decoder = decoder
    }

    var allKeys: [Key] {
        decoder.asksForNames = true
        return Key(stringValue: Self.anyName).map { [$0] } ?? []
    }

    func contains(_ key: Key) -> Bool {
        decoder.noteOptional(key.stringValue)
        return true
    }

    func decodeNil(forKey key: Key) -> Bool {
        decoder.noteOptional(key.stringValue)
        return false
    }

    func decode<T: Decodable>(_ type: T.Type, forKey key: Key) throws -> T {
        try decoder.made(type) { note($0, key, isOptional: false) }
    }

    func decodeIfPresent<T: Decodable>(_ type: T.Type, forKey key: Key) throws -> T? {
        _ = try? decoder.made(type) { note($0, key, isOptional: true) }
        return nil
    }

    private func note(_ shape: Shape, _ key: Key, isOptional: Bool) {
        if key.stringValue == Self.anyName {
            decoder.values = shape
        } else {
            decoder.note(key.stringValue, shape, isOptional: isOptional)
        }
    }

    func nestedContainer<NestedKey: CodingKey>(
        keyedBy type: NestedKey.Type, forKey key: Key
    ) -> KeyedDecodingContainer<NestedKey> {
        nested(key).container(keyedBy: type)
    }

    func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedDecodingContainer {
        nested(key).unkeyedContainer()
    }

    func superDecoder() -> any Decoder { ShapeDecoder(decoder.reader, decoder.sample) }

    func superDecoder(forKey key: Key) -> any Decoder { nested(key) }

    /// What a type reads from inside of a member isn't followed: it is rare.
    private func nested(_ key: Key) -> ShapeDecoder {
        note(.unknown("it is read by hand"), key, isOptional: false)
        return ShapeDecoder(decoder.reader, decoder.sample)
    }
}
