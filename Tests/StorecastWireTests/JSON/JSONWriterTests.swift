import Testing

@testable import StorecastWire

@Suite struct JSONWriterTests {
    private func text(_ write: (inout JSONWriter) -> Void) -> String {
        var writer = JSONWriter(reserving: 16)
        write(&writer)
        return String(decoding: writer.bytes, as: UTF8.self)
    }

    @Test func `commas and colons come by themselves`() {
        let text = text { writer in
            writer.beginObject()
            writer.write(key: "a")
            writer.beginArray()
            writer.write(1)
            writer.write(true)
            writer.writeNull()
            writer.beginArray()
            writer.endArray()
            writer.beginObject()
            writer.endObject()
            writer.write("x")
            writer.endArray()
            writer.write(key: "b" + String("c"))
            writer.write(1.5)
            writer.write(key: "d")
            writer.write(raw: Array("[1]".utf8))
            writer.write(key: "e")
            writer.write(UInt64.max)
            writer.endObject()
        }
        #expect(
            text == #"{"a":[1,true,null,[],{},"x"],"bc":1.5,"d":[1],"e":18446744073709551615}"#)
    }

    @Test func `a string that ends like punctuation still gets its comma`() {
        let text = text { writer in
            writer.beginArray()
            for text in ["[", "{", ":", ",", "\n"] { writer.write(text) }
            writer.endArray()
        }
        #expect(text == #"["[","{",":",",","\n"]"#)
    }

    @Test func `raw pieces come without a comma`() throws {
        let view = try JSONDocument("[ 1 ]").root
        let text = text { writer in
            writer.raw("{\"op\":")
            writer.write("x")
            writer.raw(",\"n\":")
            writer.write(3)
            writer.raw(Array(",\"v\"".utf8))
            writer.raw(Array("::".utf8)[1...])
            writer.write(view)
            writer.raw("}")
        }
        #expect(text == #"{"op":"x","n":3,"v":[ 1 ]}"#)
    }

    @Test func `only what must be is escaped`() {
        let all = String(String.UnicodeScalarView((0..<0x30).compactMap { Unicode.Scalar($0) }))
        let expected =
            #""\u0000\u0001\u0002\u0003\u0004\u0005\u0006\u0007\b\t\n\u000b\f\r\u000e\u000f"#
            + #"\u0010\u0011\u0012\u0013\u0014\u0015\u0016\u0017\u0018\u0019\u001a\u001b\u001c"#
            + ##"\u001d\u001e\u001f !\"#$%&'()*+,-./""##
        #expect(text { $0.write(all) } == expected)
        #expect(text { $0.write("\u{7f}/é😀\u{2028}\\") } == "\"\u{7f}/é😀\u{2028}\\\\\"")
    }

    @Test func `an escape is found wherever it is in a long string`() throws {
        for length in 0..<20 {
            for index in 0...length {
                var text = String(repeating: "x", count: length)
                text.insert("\"", at: text.utf8.index(text.startIndex, offsetBy: index))
                let written = self.text { $0.write(text) }
                #expect(try JSON(parsing: written) == .string(text))
            }
        }
    }

    @Test func `integers are written at their extremes`() {
        let text = text { writer in
            for value in [0, 9, 10, -1, -10, Int64.max, Int64.min] { writer.write(value) }
        }
        #expect(text == "0,9,10,-1,-10,9223372036854775807,-9223372036854775808")
    }

    /// The same digits as Python's `repr`, in ECMAScript's layout; whole numbers above 2^53 keep an
    /// exponent.
    static let doubles: [(Double, String)] = [
        (0.1, "0.1"), (1 / 3, "0.3333333333333333"), (1e21, "1e+21"),
        (.leastNonzeroMagnitude, "5e-324"),
        (1.7976931348623157e308, "1.7976931348623157e+308"),
        (2.2250738585072014e-308, "2.2250738585072014e-308"), (1e-6, "0.000001"), (1e-7, "1e-7"),
        (123456.789, "123456.789"), (9_007_199_254_740_991, "9007199254740991"),
        (9_007_199_254_740_992, "9007199254740992"),
        (1_152_921_504_606_846_976, "1.152921504606847e+18"), (1e16, "1e+16"), (100.5, "100.5"),
        (4.35, "4.35"), (0.000123, "0.000123"), (1e23, "1e+23"), (-2.5, "-2.5"), (3, "3"),
        (1_234_567_890_123_456.75, "1234567890123456.8"), (-0.0, "-0.0"), (0, "0"),
        (.infinity, "null"), (.nan, "null"),
    ]

    @Test(arguments: doubles) func `a double has its shortest text`(
        _ number: Double, _ expected: String
    ) {
        #expect(text { $0.write(number) } == expected)
    }

    @Test func `any double is read back bit by bit`() throws {
        var random = SeededRandom(42)
        for _ in 0..<20_000 {
            let number = Double(bitPattern: random.next())
            guard number.isFinite else { continue }
            let read = try JSONDocument(text { $0.write(number) }).root.double
            #expect(read?.bitPattern == number.bitPattern)
        }
        for _ in 0..<20_000 {
            let number = Double(Int64(bitPattern: random.next()) >> Int64(random.below(60))) / 1000
            let read = try JSONDocument(text { $0.write(number) }).root.double
            #expect(read == number)
        }
    }
}
