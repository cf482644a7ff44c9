/// The single value that a type asks for.
struct ShapeValue: SingleValueDecodingContainer {
    let codingPath: [any CodingKey] = []
    private let decoder: ShapeDecoder

    init(_ decoder: ShapeDecoder) {
        self.decoder = decoder
    }

    func decodeNil() -> Bool { false }

    func decode<T: Decodable>(_ type: T.Type) throws -> T {
        try decoder.made(type) { decoder.single = $0 }
    }
}
