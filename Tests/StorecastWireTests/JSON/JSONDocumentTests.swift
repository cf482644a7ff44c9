import Testing

@testable import StorecastWire

@Suite struct JSONDocumentTests {
    static let accepted: [String] = [
        "null", "true", "false", "0", "-0", "1", "-1", "10", "0.5", "-0.0", "1e3", "1E+3", "1e-3",
        "0e0", "0.0e10", "123456789.123456789e-5", "\"\"", "\"a\"", "[]", "{}", "[ ]", "{ }",
        " \t\r\n[ 1 , 2 ]\n", "[[[]]]", "[{}]", "{\"a\":{}}", "{\"\":0}",
        "{\"a\":1,\"b\":[2,{\"c\":3}]}",
        "\"\\\"\\\\\\/\\b\\f\\n\\r\\t\"", "\"\\u0041\"", "\"\\ud83d\\ude00\"", "\"\\uD83D\\uDE00\"",
        "\"\\u0000\"", "\"\u{7f}\"", "\"é\"", "\"\u{800}\"", "\"\u{ffff}\"", "\"😀\"",
        "\"\u{10ffff}\"",
        "9223372036854775807", "-9223372036854775808", "18446744073709551615",
        "18446744073709551616", "-9223372036854775809", "1.7976931348623157e308", "5e-324",
        "1e-400",
        "{\"a\":1,\"A\":2}", "{\"e\u{301}\":1,\"\u{e9}\":2}", "[\"abcdefgh\",\"abcdefghi\"]",
    ]

    @Test(arguments: accepted) func `a text that RFC 8259 allows is read`(_ text: String) throws {
        _ = try JSONDocument(text)
    }

    static let rejected: [(String, JSONError.Reason, Int)] = [
        ("", .syntax, 0), (" ", .syntax, 1), ("nul", .syntax, 3), ("nulL", .syntax, 3),
        ("True", .syntax, 0), ("truefalse", .syntax, 4), ("1 2", .syntax, 2), ("[1]]", .syntax, 3),
        ("[1,]", .syntax, 3), ("[,1]", .syntax, 1), ("[1 2]", .syntax, 3), ("[1", .syntax, 2),
        ("[", .syntax, 1), ("]", .syntax, 0), ("[}", .syntax, 1), ("{]", .syntax, 1),
        ("{", .syntax, 1), ("{\"a\"}", .syntax, 4), ("{\"a\":}", .syntax, 5),
        ("{\"a\":1,}", .syntax, 7), ("{a:1}", .syntax, 1), ("{1:1}", .syntax, 1),
        ("{\"a\" 1}", .syntax, 5), ("{\"a\":1 \"b\":2}", .syntax, 7), ("[1}", .syntax, 2),
        ("{\"a\":1]", .syntax, 6), ("'a'", .syntax, 0), ("\"a", .syntax, 2), ("\"a\\", .syntax, 3),
        ("/**/1", .syntax, 0), ("NaN", .syntax, 0), ("Infinity", .syntax, 0),
        ("\u{a0}1", .syntax, 0),
        ("01", .number, 0), ("-01", .number, 0), ("-", .number, 0), ("1.", .number, 0),
        (".5", .syntax, 0), ("+1", .syntax, 0), ("1e", .number, 0), ("1e+", .number, 0),
        ("1.e1", .number, 0), ("-a", .number, 0), ("0x1", .syntax, 1), ("1_0", .syntax, 1),
        ("1e309", .number, 0), ("-1e309", .number, 0), ("[2e308]", .number, 1),
        ("\"\\x\"", .escape, 1), ("\"\\u12\"", .escape, 1), ("\"\\u12G4\"", .escape, 1),
        ("\"\\ud800\"", .escape, 1), ("\"\\udc00\"", .escape, 1),
        ("\"\\ud800\\u0041\"", .escape, 1),
        ("\"\\ud800\\ud800\"", .escape, 1), ("\"\\ud800x\"", .escape, 1),
        ("\"\\U0041\"", .escape, 1),
        ("\"\t\"", .control, 1), ("\"\n\"", .control, 1), ("\"\u{0}\"", .control, 1),
        ("\"12345678\u{1f}\"", .control, 9), ("\u{feff}1", .utf8, 0),
        ("{\"a\":1,\"a\":2}", .duplicateKey, 7), ("{\"a\":1,\"\\u0061\":2}", .duplicateKey, 7),
        ("[{\"\":1,\"b\":{\"c\":1},\"\":1}]", .duplicateKey, 19),
        ("{\"abcdefghij\":1,\"b\":2,\"abcdefghij\":3}", .duplicateKey, 22),
    ]

    @Test(arguments: rejected) func `a text that RFC 8259 does not allow is refused with its place`(
        _ text: String, _ reason: JSONError.Reason, _ offset: Int
    ) {
        #expect(throws: JSONError(reason, at: offset)) { try JSONDocument(text) }
    }

    /// Not UTF-8, inside a string: RFC 3629 §3 and §10, the Unicode Standard's table 3-7.
    static let notUTF8: [[UInt8]] = [
        [0x80], [0xbf], [0xc0, 0x80], [0xc1, 0xbf], [0xc2], [0xc2, 0x41], [0xe0, 0x80, 0x80],
        [0xe0, 0x9f, 0xbf], [0xe1, 0x80], [0xed, 0xa0, 0x80], [0xed, 0xbf, 0xbf],
        [0xf0, 0x80, 0x80, 0x80], [0xf0, 0x8f, 0xbf, 0xbf], [0xf0, 0x90, 0x80],
        [0xf4, 0x90, 0x80, 0x80], [0xf5, 0x80, 0x80, 0x80], [0xfe], [0xff], [0xe2, 0x82, 0x41],
    ]

    @Test(arguments: notUTF8) func `bytes that are not UTF-8 are refused`(_ bytes: [UInt8]) {
        for padding in [0, 7, 20] {
            let prefix = [0x22] + [UInt8](repeating: 0x61, count: padding)
            #expect(throws: JSONError(.utf8, at: prefix.count)) {
                try JSONDocument(prefix + bytes + [0x22])
            }
        }
    }

    @Test func `bytes outside strings that are not ASCII are refused`() {
        #expect(throws: JSONError(.syntax, at: 0)) { try JSONDocument([0xff]) }
        #expect(throws: JSONError(.syntax, at: 1)) { try JSONDocument([0x5b, 0xc2, 0xa0, 0x5d]) }
    }

    @Test func `no prefix of a text is a text`() throws {
        let text = """
            {"op":"dispatch","seq":-12.5e+3,"list":[true,false,null,{"deep":[[]]}],\
            "text":"escaped \\u00e9\\ud83d\\ude00 \\n and plain é😀"}
            """
        let bytes = Array(text.utf8)
        _ = try JSONDocument(bytes)
        for count in 0..<bytes.count {
            #expect(throws: JSONError.self) { try JSONDocument(Array(bytes[..<count])) }
        }
    }

    @Test func `any byte in any place is taken or refused, never a trap`() {
        let bytes = Array(#"{"a":[1,-2.5e3,"x\u0041é",true,null],"b":{}}"#.utf8)
        var taken = 0
        for index in bytes.indices {
            for byte in UInt8.min...UInt8.max {
                var changed = bytes
                changed[index] = byte
                guard let document = try? JSONDocument(changed) else { continue }
                taken += 1
                #expect((try? JSON(parsing: document.root.json.description)) == document.root.json)
            }
        }
        #expect(taken > bytes.count)
    }

    @Test func `nesting is limited`() throws {
        let limits = JSONLimits(depth: 3)
        _ = try JSONDocument("[[[1]]]", limits: limits)
        _ = try JSONDocument("[[[]],[{}],{\"a\":{}}]", limits: limits)
        #expect(throws: JSONError(.depth, at: 3)) { try JSONDocument("[[[[1]]]]", limits: limits) }
        #expect(throws: JSONError(.depth, at: 0)) {
            try JSONDocument("[]", limits: JSONLimits(depth: 0))
        }
        _ = try JSONDocument("1", limits: JSONLimits(depth: -100))
    }

    @Test func `a mebibyte of brackets is refused at the depth limit`() {
        let brackets = [UInt8](repeating: UInt8(ascii: "["), count: 1 << 20)
        #expect(throws: JSONError(.depth, at: 64)) { try JSONDocument(brackets) }
        let generous = JSONLimits(depth: .max)
        #expect(throws: JSONError(.depth, at: JSONLimits.deepestNesting)) {
            try JSONDocument(brackets, limits: generous)
        }
    }

    @Test func `a text at the size limit is read and one byte more refused`() throws {
        let limits = JSONLimits(bytes: 5)
        _ = try JSONDocument("12345", limits: limits)
        #expect(throws: JSONError(.size, at: 5)) { try JSONDocument("123456", limits: limits) }
    }

    @Test func `a long number is refused, and read where the limits allow it`() throws {
        let number = "0." + String(repeating: "3", count: 1000)
        #expect(throws: JSONError(.number, at: 0)) { try JSONDocument(number) }
        let document = try JSONDocument(number, limits: JSONLimits(numberBytes: 2000))
        #expect(document.root.double == 1.0 / 3)
    }

    @Test func `an object of 100,000 members is read, and its last name twice refused`() throws {
        let members = (0..<100_000).map { "\"\($0)\":\($0)" }.joined(separator: ",")
        let limits = JSONLimits(bytes: 1 << 22)
        let document = try JSONDocument("{\(members)}", limits: limits)
        #expect(document.root["99999"]?.int == 99_999)
        let offset = members.utf8.count + 2
        #expect(throws: JSONError(.duplicateKey, at: offset)) {
            try JSONDocument("{\(members),\"99999\":0}", limits: limits)
        }
    }

    @Test(arguments: [2, 15, 16, 17, 18, 40]) func `a name twice is found in objects of any size`(
        _ count: Int
    ) throws {
        for (first, second) in [(0, count - 1), (count - 2, count - 1), (0, 1)] {
            var names = (0..<count).map { "a name longer than a word \($0)" }
            let text = { "{" + names.map { "\"\($0)\":[{\"x\":1}]" }.joined(separator: ",") + "}" }
            _ = try JSONDocument(text())
            names[second] = names[first]
            #expect { try JSONDocument(text()) } throws: { error in
                (error as? JSONError)?.reason == .duplicateKey
            }
        }
    }

    @Test func `every fault has a sentence`() {
        #expect(JSONError(.duplicateKey, at: 7).message.contains("byte 7"))
        #expect(
            "\(JSONError(.size, at: 99))" == "The JSON text is longer than the 99 bytes allowed.")
    }
}
