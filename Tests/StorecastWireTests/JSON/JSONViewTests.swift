import Testing

@testable import StorecastWire

@Suite struct JSONViewTests {
    private func view(_ text: String) throws -> JSONView { try JSONDocument(text).root }

    @Test func `integers are exact to 64 bits`() throws {
        #expect(try view("9223372036854775807").int64 == .max)
        #expect(try view("-9223372036854775808").int64 == .min)
        #expect(try view("18446744073709551615").uint64 == .max)
        #expect(try view("18446744073709551615").int64 == nil)
        #expect(try view("9223372036854775808").uint64 == 1 << 63)
        #expect(try view("-1").uint64 == nil)
        #expect(try view("-1").int == -1)
    }

    @Test func `integers beyond 64 bits are the nearest double and no integer`() throws {
        #expect(try view("18446744073709551616").double == 18_446_744_073_709_551_616)
        #expect(try view("18446744073709551616").uint64 == nil)
        #expect(try view("-9223372036854775809").double == -9_223_372_036_854_775_808)
        #expect(try view("-9223372036854775809").int64 == nil)
        #expect(try view("100000000000000000000").double == 1e20)
    }

    @Test func `a fraction of zero is an integer`() throws {
        #expect(try view("1e3").int == 1000)
        #expect(try view("2.0").int == 2)
        #expect(try view("2.5").int == nil)
        #expect(try view("9007199254740992.0").int == 1 << 53)
        #expect(try view("9007199254740993.0").int == 1 << 53 + 1)
        #expect(try view("9007199254740993.5").int == nil)
        #expect(try view("-0").int == 0)
    }

    @Test func `minus zero keeps its sign`() throws {
        #expect(try view("-0").double?.sign == .minus)
        #expect(try view("-0.0").double?.sign == .minus)
        #expect(try view("0.0").double?.sign == .plus)
    }

    /// Halfway cases and extremes, with the bits that Python's float() gives.
    static let doubles: [(String, UInt64)] = [
        ("0.1", 0x3fb9_9999_9999_999a), ("1e23", 0x44b5_2d02_c7e1_4af6),
        ("8.5e22", 0x44b1_ffdb_f6b2_b2eb), ("9007199254740993", 0x4340_0000_0000_0000),
        ("9007199254740993.0", 0x4340_0000_0000_0000),
        ("9007199254740993.00000000000000000001", 0x4340_0000_0000_0001),
        ("2.2250738585072011e-308", 0x000f_ffff_ffff_ffff), ("5e-324", 1), ("2e-324", 0),
        ("3e-324", 1), ("1.7976931348623157e308", 0x7fef_ffff_ffff_ffff),
        ("1.7976931348623158e308", 0x7fef_ffff_ffff_ffff),
        ("123456789012345678901234567890", 0x45f8_ee90_ff6c_373e),
        ("0.000001", 0x3eb0_c6f7_a0b5_ed8d),
        ("-1.5e-5", 0xbeef_7510_4d55_1d69), ("1e-400", 0),
    ]

    @Test(arguments: doubles) func `a number is the nearest double`(_ text: String, _ bits: UInt64)
        throws
    {
        #expect(try view(text).double?.bitPattern == bits)
    }

    @Test func `escapes are read`() throws {
        let text = #""\"\\\/\b\f\n\r\t\u0041\u00e9\u20ac\ud83d\ude00\u0000 plain é😀""#
        #expect(
            try view(text).string == "\"\\/\u{8}\u{c}\n\r\tAé€😀\u{0} plain é😀")
    }

    @Test func `members are found by name, escaped or not, and elements by index`() throws {
        let object = try view(#"{"a":1,"n\u0061me":[10,[20],30],"é":null,"last":{"x":true}}"#)
        #expect(object["a"]?.int == 1)
        #expect(object["name"]?[1]?[0]?.int == 20)
        #expect(object["name"]?[2]?.int == 30)
        #expect(object["name"]?[3] == nil)
        #expect(object["name"]?[-1] == nil)
        #expect(object["é"]?.isNull == true)
        let name = String("tsal".reversed())
        #expect(object[name]?["x"]?.bool == true)
        #expect(object["x"] == nil)
        #expect(object["a"]?["b"] == nil)
        #expect(object.members.map(\.key) == ["a", "name", "é", "last"])
        #expect(object.count == 4)
        #expect(object.elements.underestimatedCount == 0)
    }

    @Test func `every kind is told apart`() throws {
        let kinds = try view(#"[null,true,1,1.5,18446744073709551615,"","\n",[],{}]"#).elements
        #expect(
            kinds.map(\.kind) == [
                .null, .bool, .number, .number, .number, .string, .string, .array, .object,
            ])
        #expect(kinds.filter { $0.string == nil && !$0.isString }.count == 7)
        #expect(kinds.compactMap(\.double).count == 3)
        #expect(kinds.filter(\.isArray).count == 1 && kinds.filter(\.isObject).count == 1)
    }

    @Test func `the source text is kept as it was written`() throws {
        let root = try view(#" { "a" : [ 1.0 , "\u0041" ] , "b":-0e1 } "#)
        #expect(root.rawText == #"{ "a" : [ 1.0 , "\u0041" ] , "b":-0e1 }"#)
        #expect(root["a"]?.rawText == #"[ 1.0 , "\u0041" ]"#)
        #expect(root["a"]?[1]?.rawText == #""\u0041""#)
        #expect(root["b"]?.rawText == "-0e1")
    }

    @Test func `a string is compared without being made`() throws {
        #expect(try view(#""hello""#).isString("hello"))
        #expect(try view(#""h\u0065llo""#).isString("hello"))
        #expect(try !view(#""hell""#).isString("hello"))
        #expect(try !view("1").isString("1"))
    }

    @Test func `a view outlives its document`() throws {
        let inner = try view(#"{"a":["kept"]}"#)["a"]
        #expect(inner?[0]?.string == "kept")
    }
}
