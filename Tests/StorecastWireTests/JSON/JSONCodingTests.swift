import Testing

@testable import StorecastWire

@Suite struct JSONCodingTests {
    struct Card: Codable, Equatable {
        var id: Int
        var text: String
        var votes: UInt64?
        var tags: [String] = []
        var weights: [String: Double] = [:]
        var byNumber: [Int: Bool] = [:]
        var place: Place?
        var next: [Card]?

        struct Place: Codable, Equatable {
            var column: String
            var index: Int8
            var ratio: Float
        }
    }

    enum Shape: Codable, Equatable {
        case dot
        case circle(radius: Double)
        case pair(Int, String)
    }

    enum Colour: String, Codable { case red, green }

    static let card = Card(
        id: -5, text: "naïve \"quoted\"\n", votes: .max, tags: ["a", "b"], weights: ["x": 0.1],
        byNumber: [7: true], place: .init(column: "todo", index: -128, ratio: 0.1),
        next: [Card(id: 1, text: "")])

    private func expectRoundTrip<T: Codable & Equatable>(
        _ value: T, _ text: String, sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        let bytes = try JSONCoding.encode(value)
        #expect(String(decoding: bytes, as: UTF8.self) == text, sourceLocation: sourceLocation)
        let document = try JSONDocument(text)
        #expect(
            try JSONCoding.decode(T.self, from: document.root) == value,
            sourceLocation: sourceLocation)
        let tree = try JSONCoding.encodeTree(value)
        #expect(tree == document.root.json, sourceLocation: sourceLocation)
        #expect(try JSONCoding.decode(T.self, from: tree) == value, sourceLocation: sourceLocation)
    }

    @Test func `a struct is an object, and what is nil is left out`() throws {
        try expectRoundTrip(
            Self.card,
            #"{"id":-5,"text":"naïve \"quoted\"\n","votes":18446744073709551615,"tags":["a","b"],"#
                + #""weights":{"x":0.1},"byNumber":{"7":true},"#
                + #""place":{"column":"todo","index":-128,"ratio":0.1},"#
                + #""next":[{"id":1,"text":"","tags":[],"weights":{},"byNumber":{}}]}"#)
    }

    @Test func `enums are what Swift makes of them`() throws {
        try expectRoundTrip(Shape.dot, #"{"dot":{}}"#)
        try expectRoundTrip(Shape.circle(radius: 1.5), #"{"circle":{"radius":1.5}}"#)
        try expectRoundTrip(Shape.pair(1, "x"), #"{"pair":{"_0":1,"_1":"x"}}"#)
        try expectRoundTrip([Colour.red, .green], #"["red","green"]"#)
    }

    @Test func `any value may stand at the top`() throws {
        try expectRoundTrip(5, "5")
        try expectRoundTrip("x", #""x""#)
        try expectRoundTrip(true, "true")
        try expectRoundTrip(1.25, "1.25")
        try expectRoundTrip(Int?.none, "null")
        try expectRoundTrip([Int?.none, 1], "[null,1]")
        try expectRoundTrip([[1], []], "[[1],[]]")
        try expectRoundTrip(["a": [1: ["b": false]]], #"{"a":{"1":{"b":false}}}"#)
        try expectRoundTrip([Int64.min, .max], "[-9223372036854775808,9223372036854775807]")
        try expectRoundTrip(UInt64.max, "18446744073709551615")
        try expectRoundTrip(
            [Float(0.1), 16_777_216, .greatestFiniteMagnitude], "[0.1,16777216,3.4028235e+38]")
        try expectRoundTrip([UInt8(255), 0], "[255,0]")
    }

    @Test func `a tree goes through unchanged, alone or inside`() throws {
        let json: JSON = ["b": [1, .null, 1.5], "a": "x"]
        try expectRoundTrip(json, #"{"b":[1,null,1.5],"a":"x"}"#)
        try expectRoundTrip(["k": json], #"{"k":{"b":[1,null,1.5],"a":"x"}}"#)
        try expectRoundTrip([json, .null], #"[{"b":[1,null,1.5],"a":"x"},null]"#)
        try expectRoundTrip(JSONObject([("z", 1), ("y", 2)]), #"{"z":1,"y":2}"#)
    }

    @Test func `members are found in any order, with unknown ones between`() throws {
        let text = #"{"x":[{}],"ratio":1e0,"index":3.0,"y":null,"column":"c"}"#
        let place = try JSONCoding.decode(Card.Place.self, from: JSONDocument(text).root)
        #expect(place == Card.Place(column: "c", index: 3, ratio: 1))
    }

    static let faults: [(String, String)] = [
        (#"{"text":"x"}"#, "The member \"id\" is missing."),
        (#"{"id":"5","text":""}"#, "At /id: expected an integer, found a string."),
        (#"{"id":1.5,"text":""}"#, "At /id: 1.5 does not fit in Int."),
        (#"{"id":null,"text":""}"#, "At /id: expected an integer, found null."),
        (#"{"id":1e400,"text":""}"#, ""),
        (
            #"{"id":1,"text":"","tags":[],"weights":{"a/b":true},"byNumber":{}}"#,
            "At /weights/a~1b: expected a number, found true."
        ),
        (
            #"{"id":1,"text":"","tags":["a",["b"]],"weights":{},"byNumber":{}}"#,
            "At /tags/1: expected a string, found an array."
        ),
        (
            #"{"id":1,"text":"","tags":{},"weights":{},"byNumber":{}}"#,
            "At /tags: expected an array, found an object."
        ),
        (
            #"{"id":1,"text":"","tags":[],"weights":{},"byNumber":{},"#
                + #""place":{"column":"","index":300}}"#,
            "At /place/index: 300 does not fit in Int8."
        ),
        (
            #"{"id":1,"text":"","tags":[],"weights":{},"byNumber":{},"#
                + #""next":[{"id":1,"text":false}]}"#,
            "At /next/0/text: expected a string, found false."
        ),
        ("[]", "Expected an object, found an array."),
    ]

    @Test(arguments: faults) func `a fault says what was expected, what was found and where`(
        _ text: String, _ message: String
    ) throws {
        guard let document = try? JSONDocument(text) else { return #expect(message.isEmpty) }
        #expect { try JSONCoding.decode(Card.self, from: document.root) } throws: { error in
            JSONCoding.message(for: error) == message
        }
    }

    @Test func `an array that ends early is refused`() throws {
        struct Pair: Decodable {
            init(from decoder: any Decoder) throws {
                var list = try decoder.unkeyedContainer()
                _ = try (list.decode(Int.self), list.decode(Int.self))
            }
        }
        let root = try JSONDocument(#"{"p":[1]}"#).root
        #expect { try JSONCoding.decode([String: Pair].self, from: root) } throws: { error in
            JSONCoding.message(for: error) == "At /p/1: the array has only 1 elements."
        }
    }

    @Test func `random trees survive the way through any coder`() throws {
        for seed in 0..<500 {
            var random = SeededRandom(UInt64(seed))
            let json = random.json()
            // Boxed, so that the shortcuts for trees are not taken.
            let bytes = try JSONCoding.encode(Boxed(json: json))
            let boxed = try JSONCoding.decode(Boxed.self, from: JSONDocument(bytes).root)
            #expect(boxed.json == json, "seed \(seed)")
        }
    }

    struct Boxed: Codable {
        var json: JSON

        init(json: JSON) { self.json = json }
        init(from decoder: any Decoder) throws { json = try JSON(from: Opaque(inner: decoder)) }
        func encode(to encoder: any Encoder) throws { try json.encode(to: encoder) }
    }

    /// Hides which decoder it is.
    struct Opaque: Decoder {
        let inner: any Decoder
        var codingPath: [any CodingKey] { inner.codingPath }
        var userInfo: [CodingUserInfoKey: Any] { [:] }
        func container<Key>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
            try inner.container(keyedBy: type)
        }
        func unkeyedContainer() throws -> any UnkeyedDecodingContainer {
            try inner.unkeyedContainer()
        }
        func singleValueContainer() throws -> any SingleValueDecodingContainer {
            try inner.singleValueContainer()
        }
    }
}
