/// The elements of an array that a type asks for: one, if it asks whether there are any.
struct ShapeElements: UnkeyedDecodingContainer {
    let codingPath: [any CodingKey] = []
    private let decoder: ShapeDecoder

    init(_ decoder: ShapeDecoder) {
        self.decoder = decoder
    }

    private(set) var currentIndex = 0
    var count: Int? { nil }

    var isAtEnd: Bool {
        decoder.asksForEnd = true
        return currentIndex > 0
    }

    mutating func decodeNil() -> Bool { false }

    mutating func decode<T: Decodable>(_ type: T.Type) throws -> T {
        currentIndex += 1
        return try decoder.made(type) { decoder.elements?.append($0) }
    }

    mutating func nestedContainer<NestedKey: CodingKey>(
        keyedBy type: NestedKey.Type
    ) -> KeyedDecodingContainer<NestedKey> { nested().container(keyedBy: type) }

    mutating func nestedUnkeyedContainer() -> any UnkeyedDecodingContainer {
        nested().unkeyedContainer()
    }

    mutating func superDecoder() -> any Decoder { nested() }

    private mutating func nested() -> ShapeDecoder {
        currentIndex += 1
        decoder.elements?.append(.unknown("it is read by hand"))
        return ShapeDecoder(decoder.reader, decoder.sample)
    }
}
