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
