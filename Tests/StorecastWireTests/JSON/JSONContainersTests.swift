import Testing

@testable import StorecastWire

/// Types that use the containers in their own ways.
@Suite struct JSONContainersTests {
    class Animal: Codable {
        var name: String
        init(name: String) { self.name = name }
    }

    final class Dog: Animal {
        var tricks: [String]

        init(name: String, tricks: [String]) {
            self.tricks = tricks
            super.init(name: name)
        }

        enum CodingKeys: CodingKey { case tricks }

        required init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: CodingKeys.self)
            tricks = try container.decode([String].self, forKey: .tricks)
            try super.init(from: container.superDecoder())
        }

        override func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: CodingKeys.self)
            try container.encode(tricks, forKey: .tricks)
            try super.encode(to: container.superEncoder())
        }
    }

    private func text(_ value: some Encodable) throws -> String {
        String(decoding: try JSONCoding.encode(value), as: UTF8.self)
    }

    @Test func `a super encoder writes a member of its own`() throws {
        let text = try text(Dog(name: "Rex", tricks: ["sit"]))
        #expect(text == #"{"tricks":["sit"],"super":{"name":"Rex"}}"#)
        let dog = try JSONCoding.decode(Dog.self, from: JSONDocument(text).root)
        #expect(dog.name == "Rex" && dog.tricks == ["sit"])
    }

    /// Opens everything first, and writes to it in turns.
    struct Interleaved: Codable, Equatable {
        var left = [1, 2]
        var right = ["x": 1, "y": 2]

        enum CodingKeys: CodingKey { case left, right, list }
        enum Inner: String, CodingKey { case x, y }

        init() {}

        init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: CodingKeys.self)
            var list = try container.nestedUnkeyedContainer(forKey: .left)
            let inner = try container.nestedContainer(keyedBy: Inner.self, forKey: .right)
            left = [try list.decode(Int.self)]
            right = ["y": try inner.decode(Int.self, forKey: .y)]
            left.append(try list.decode(Int.self))
            right["x"] = try inner.decode(Int.self, forKey: .x)
            #expect(list.isAtEnd && list.currentIndex == 2 && list.count == 2)
            var nested = try container.nestedUnkeyedContainer(forKey: .list)
            #expect(try nested.decodeNil())
            #expect(try !nested.decodeNil())
            #expect(try nested.nestedContainer(keyedBy: Inner.self).allKeys == [.x])
            var deeper = try nested.nestedUnkeyedContainer()
            #expect(try deeper.decode(Bool.self))
            #expect(try nested.superDecoder().singleValueContainer().decode(String.self) == "end")
        }

        func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: CodingKeys.self)
            var list = container.nestedUnkeyedContainer(forKey: .left)
            var inner = container.nestedContainer(keyedBy: Inner.self, forKey: .right)
            try list.encode(1)
            try inner.encode(1, forKey: .x)
            try list.encode(2)
            try inner.encode(2, forKey: .y)
            var nested = container.nestedUnkeyedContainer(forKey: .list)
            try nested.encodeNil()
            var object = nested.nestedContainer(keyedBy: Inner.self)
            var deeper = nested.nestedUnkeyedContainer()
            var single = nested.superEncoder().singleValueContainer()
            try single.encode("end")
            try deeper.encode(true)
            try object.encode(5, forKey: .x)
            #expect(nested.count == 4)
        }
    }

    @Test func `containers that are open at one time don't mix`() throws {
        let text = try text(Interleaved())
        #expect(text == #"{"left":[1,2],"right":{"x":1,"y":2},"list":[null,{"x":5},[true],"end"]}"#)
        let decoded = try JSONCoding.decode(Interleaved.self, from: JSONDocument(text).root)
        #expect(decoded == Interleaved())
        #expect(try JSONCoding.encodeTree(Interleaved()) == JSON(parsing: text))
    }

    /// Opens the same container twice, and writes one name twice.
    struct Twice: Encodable {
        enum CodingKeys: CodingKey { case a, b }

        func encode(to encoder: any Encoder) throws {
            var first = encoder.container(keyedBy: CodingKeys.self)
            try first.encode(1, forKey: .a)
            var second = encoder.container(keyedBy: CodingKeys.self)
            try second.encode(2, forKey: .b)
            try second.encode(3, forKey: .a)
        }
    }

    @Test func `a container opened twice is one object, and the later value counts`() throws {
        #expect(try text(Twice()) == #"{"a":3,"b":2}"#)
        #expect(try text([Twice()]) == #"[{"a":3,"b":2}]"#)
    }

    @Test func `a type that encodes nothing is an empty object`() throws {
        struct Nothing: Encodable { func encode(to encoder: any Encoder) throws {} }
        #expect(try text(Nothing()) == "{}")
        #expect(try text([Nothing()]) == "[{}]")
        #expect(try JSONCoding.encodeTree(["n": Nothing()]) == ["n": [:]])
    }

    /// Every width, in every container.
    struct Widths: Codable, Equatable {
        var a: Int8 = .min
        var b: Int16 = .min
        var c: Int32 = .min
        var d: Int64 = .min
        var e: UInt8 = .max
        var f: UInt16 = .max
        var g: UInt32 = .max
        var h: UInt64 = .max
        var i: UInt = .max
        var j: Float = 0.5
        var k: Double = -0.25
        var l: Bool = false
        var m: Int16?
    }

    @Test func `every width of number goes there and back`() throws {
        let text = try text(Widths())
        #expect(
            text == #"{"a":-128,"b":-32768,"c":-2147483648,"d":-9223372036854775808,"e":255,"#
                + #""f":65535,"g":4294967295,"h":18446744073709551615,"i":18446744073709551615,"#
                + #""j":0.5,"k":-0.25,"l":false}"#)
        #expect(try JSONCoding.decode(Widths.self, from: JSONDocument(text).root) == Widths())
        try expectList([Int8.min, .max])
        try expectList([Int16.min, .max])
        try expectList([Int32.min, .max])
        try expectList([UInt16.min, .max])
        try expectList([UInt32.min, .max])
        try expectList([UInt.min, .max])
        try expectList([true, false])
        try expectList([1.5, -0.1])
        try expectList([String?.none, "x"])
    }

    private func expectList<T: Codable & Equatable>(_ list: [T]) throws {
        let bytes = try JSONCoding.encode(list)
        #expect(try JSONCoding.decode([T].self, from: JSONDocument(bytes).root) == list)
    }

    @Test func `integers one beyond a width are refused`() throws {
        for (text, type) in [("128", Int8.self), ("-32769", Int16.self)]
            as [(String, any Decodable.Type)]
        {
            let root = try JSONDocument(text).root
            #expect(throws: DecodingError.self) { try JSONCoding.decode(type, from: root) }
        }
        for text in ["-1", "18446744073709551616", "1.5", "1e30"] {
            let root = try JSONDocument(text).root
            #expect(throws: DecodingError.self) { try JSONCoding.decode(UInt64.self, from: root) }
        }
        let root = try JSONDocument("1e300").root
        #expect(throws: DecodingError.self) { try JSONCoding.decode(Float.self, from: root) }
    }
}
