import Testing

@testable import StorecastWire

@Suite(.timeLimit(.minutes(30))) struct JSONTests {
    static let equal: [(JSON, JSON)] = [
        (1, 1.0), (.uint(5), 5), (-0.0, 0), (.double(9_007_199_254_740_992), .int(1 << 53)),
        (.double(9_223_372_036_854_775_808), .uint(1 << 63)), (.double(.nan), .double(.nan)),
        (["a": 1, "b": [2, .null]], ["b": [2.0, .null], "a": 1]), ([], []), ([:], [:]),
    ]

    @Test(arguments: equal) func `values worth the same are equal and hash alike`(
        _ left: JSON, _ right: JSON
    ) {
        #expect(left == right)
        #expect(right == left)
        #expect(left.hashValue == right.hashValue)
        #expect(left.isNull || left.canonicalBytes == right.canonicalBytes)
    }

    static let different: [(JSON, JSON)] = [
        (1, 1.5), (1, "1"), (0, false), (.null, false), (.null, 0), ([], [:]), ([1], [1, 1]),
        (.int(9_007_199_254_740_993), .double(9_007_199_254_740_992)), ("a", "b"),
        (.double(9_223_372_036_854_775_808), .int(.max)), (["a": 1], ["a": 2]), ("", .null),
        (["a": 1], ["b": 1]), (["a": 1], ["a": 1, "b": 1]), ([1, 2], [2, 1]),
        (["a": .null], ["b": .null]),
        ("e\u{301}", "\u{e9}"), (["e\u{301}": 1], ["\u{e9}": 1]),
    ]

    @Test(arguments: different) func `values that differ are not equal`(_ left: JSON, _ right: JSON)
    {
        #expect(left != right)
        #expect(right != left)
        #expect(left.canonicalBytes != right.canonicalBytes)
    }

    @Test func `literals make every kind`() {
        let json: JSON = [
            "n": .null, "b": true, "i": 1, "d": 1.5, "s": "x", "a": [1, "y"], "o": [:],
        ]
        #expect(
            json.description == #"{"n":null,"b":true,"i":1,"d":1.5,"s":"x","a":[1,"y"],"o":{}}"#)
    }

    @Test func `members and elements are read, set and removed`() {
        var json: JSON = ["list": [1, 2, 3]]
        json["list"]?[1] = "two"
        json["list"]?[0] = nil
        json["new"] = true
        #expect(json == ["list": ["two", 3], "new": true])
        json["list"] = nil
        #expect(json == ["new": true])
        #expect(json["list"]?[0] == nil)
        #expect(json[0] == nil)
        #expect(JSON.array([1])[1] == nil)
        #expect(JSON.array([1])["a"] == nil)
    }

    @Test func `a scalar has no members to set`() async throws {
        let result = try await #require(
            processExitsWith: .failure, observing: [\.standardErrorContent]
        ) {
            var json: JSON = 1
            json["a"] = 2
        }
        let message = String(decoding: result.standardErrorContent, as: UTF8.self)
        #expect(message.contains("only an object has members"))
    }

    @Test func `typed readings are exact`() {
        #expect(JSON.double(3).int == 3)
        #expect(JSON.double(3.5).int == nil)
        #expect(JSON.uint(.max).int64 == nil)
        #expect(JSON.uint(.max).uint64 == .max)
        #expect(JSON.int(-1).uint64 == nil)
        #expect(JSON.int(7).double == 7)
        #expect(JSON.string("7").int == nil && JSON.string("7").double == nil)
        #expect(JSON.bool(true).bool == true && JSON.int(1).bool == nil)
    }

    @Test func `an array in a tree is changed without a copy of it`() {
        var json: JSON = ["list": .array((0..<100).map { JSON.int($0) })]
        func address(_ json: JSON) -> UnsafeRawPointer? {
            json["list"]?.array?.withUnsafeBytes { $0.baseAddress }
        }
        let before = address(json)
        try? json.modify(at: JSONPointer(["list", "3"])) { $0 = "changed" }
        #expect(address(json) == before)
        #expect(json["list"]?[3] == "changed")
    }

    @Test func `the encoded size is the length of the text`() {
        var random = SeededRandom(1)
        for _ in 0..<2000 {
            let json = random.json()
            let size = json.description.utf8.count
            #expect(json.encodedSize == size)
            #expect(json.encodedSize(upTo: .max) == size)
            #expect(json.encodedSize(upTo: size / 2) >= size / 2)
        }
    }

    @Test func `what is written is read back equal, whatever the value`() throws {
        for seed in 0..<2000 {
            var random = SeededRandom(UInt64(seed))
            let json = random.json()
            #expect(try JSON(parsing: json.description) == json, "seed \(seed)")
            let canonical = String(decoding: json.canonicalBytes, as: UTF8.self)
            #expect(
                try JSON(parsing: canonical).canonicalBytes == json.canonicalBytes, "seed \(seed)")
        }
    }

    @Test func `depth counts arrays and objects`() {
        #expect(JSON.int(1).depth == 0)
        #expect(JSON.array([]).depth == 1)
        #expect(([1, ["a": [2]], []] as JSON).depth == 3)
    }

    /// The example of RFC 8785 §3.2.2 and §3.2.3.
    @Test func `canonical text is that of RFC 8785`() throws {
        let text = #"""
            {"numbers":[333333333.33333329,1E30,4.50,2e-3,0.000000000000000000000000001],
            "string":"\u20ac$\u000F\u000aA'\u0042\u0022\u005c\\\"\/","literals":[null,true,false]}
            """#
        let expected =
            #"{"literals":[null,true,false],"numbers":[333333333.3333333,1e+30,4.5,0.002,1e-27],"#
            + #""string":"€$\u000f\nA'B\"\\\\\"/"}"#
        #expect(String(decoding: try JSON(parsing: text).canonicalBytes, as: UTF8.self) == expected)
    }

    @Test func `canonical members are sorted by UTF-16 code units`() throws {
        // RFC 8785 §3.2.3: the emoji's surrogates sort before U+FB33.
        let text = #"{"\u20ac":1,"\r":2,"\ufb33":3,"1":4,"\ud83d\ude00":5,"\u0080":6,"\u00f6":7}"#
        let json = try JSON(parsing: text)
        let sorted = try JSON(parsing: String(decoding: json.canonicalBytes, as: UTF8.self))
        #expect(sorted.object?.map(\.value) == [2, 4, 6, 7, 1, 5, 3])
    }

    @Test func `canonical numbers are ECMAScript's`() {
        let table: [(Double, String)] = [
            (0, "0"), (-0.0, "0"), (1, "1"), (1e20, "100000000000000000000"), (1e21, "1e+21"),
            (1e-6, "0.000001"), (1e-7, "1e-7"), (123e-20, "1.23e-18"), (-1.5, "-1.5"),
            (.leastNonzeroMagnitude, "5e-324"), (1.7976931348623157e308, "1.7976931348623157e+308"),
            (295_147_905_179_352_825_856, "295147905179352830000"),
            (333333333.33333329, "333333333.3333333"),
        ]
        for (number, text) in table {
            #expect(String(decoding: JSON.double(number).canonicalBytes, as: UTF8.self) == text)
        }
    }
}
