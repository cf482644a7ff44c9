import Foundation
import StorecastWire
import Testing

/// Values that JSON has no form of its own for, or more than one.
struct UnusualValuesTests {
    struct Box<Value: Codable & Equatable>: Codable, Equatable {
        var value: Value
    }

    /// Written in a box, alone and in an array, and read again.
    private func text<Value: Codable & Equatable>(of value: Value) throws -> String {
        let box = Box(value: value)
        let text = String(decoding: try JSONCoding.encode(box), as: UTF8.self)
        #expect(try JSONCoding.decode(from: JSONDocument(text).root) == box)
        let tree = try JSONCoding.encodeTree([value])
        #expect(try JSONCoding.decode(from: tree) == [value])
        #expect(try JSONCoding.decode(from: JSONCoding.encodeTree(value)) == value)
        return String(text.dropFirst(#"{"value":"#.utf8.count).dropLast())
    }

    private func read<Value: Codable & Equatable>(_ text: String) throws -> Value {
        let box: Box<Value> = try JSONCoding.decode(
            from: JSONDocument(#"{"value":"# + text + "}").root)
        return box.value
    }

    private func vectors(_ name: String) throws -> [JSON] {
        try #require(JSON(parsing: Vectors.text(of: "values.json"))[name]?.array)
    }

    @Test func `an integer with a fraction or exponent is exact or refused`() throws {
        for vector in try vectors("integers") {
            let text = vector["text"]?.string ?? ""
            let expected = vector["integer"]?.string
            let view = try JSONDocument(text).root
            #expect(view.int64.map { "\($0)" } == expected.flatMap(Int64.init).map { "\($0)" })
            #expect(view.uint64.map { "\($0)" } == expected.flatMap(UInt64.init).map { "\($0)" })
            if let integer = expected.flatMap(Int64.init) {
                #expect(try read(text) == integer, "\(text)")
            } else {
                #expect(throws: DecodingError.self, "\(text)") { try read(text) as Int64 }
            }
        }
    }

    @Test func `a tree's double is no integer where it may be another one's nearest`() {
        #expect(JSON.double(0x1p53 - 1).int64 == 1 << 53 - 1)
        #expect(JSON.double(0x1p53).int64 == nil)
        #expect(JSON.double(-0x1p53).uint64 == nil)
    }

    @Test func `integers of 128 bits are text`() throws {
        let largest = "340282366920938463463374607431768211455"
        #expect(try text(of: UInt128.max) == "\"\(largest)\"")
        #expect(try text(of: Int128.min) == "\"-170141183460469231731687303715884105728\"")
        #expect(try read("12") == 12 as Int128)
        #expect(throws: DecodingError.self) { try read("\"\(largest)\"") as Int128 }
        #expect(throws: DecodingError.self) { try read("1e30") as UInt128 }
    }

    @Test func `numbers without a text in JSON are words`() throws {
        #expect(try text(of: Double.infinity) == #""Infinity""#)
        #expect(try text(of: -Float.infinity) == #""-Infinity""#)
        #expect(String(decoding: try JSONCoding.encode(Double.nan), as: UTF8.self) == #""NaN""#)
        #expect(try (read(#""NaN""#) as Double).isNaN)
        #expect(try (read(#""NaN""#) as Float).isNaN)
        #expect(throws: DecodingError.self) { try read(#""nan""#) as Double }
        #expect(throws: DecodingError.self) { try read("1e39") as Float }
    }

    @Test func `bytes are base 64`() throws {
        for vector in try vectors("bytes") {
            let bytes = vector["bytes"]?.array?.compactMap { $0.int.map(UInt8.init) } ?? []
            #expect(try text(of: Data(bytes)) == "\(vector["text"] ?? .null)")
        }
        for wrong in ["A", "AA", "AAA", "QR==", "A===", "====", "QQ=A", "Q Q=", "QQ==\\n", "-_-_"] {
            #expect(throws: DecodingError.self) { try read("\"\(wrong)\"") as Data }
        }
        #expect(try read("[0,1,255]") == Data([0, 1, 255]))
    }

    @Test func `decimals are their digits`() throws {
        for vector in try vectors("decimals") {
            let digits = vector["text"]?.string ?? ""
            let value = try #require(Decimal(string: digits))
            #expect(try text(of: value) == "\"\(digits)\"")
            #expect(try read(digits) == value)
            #expect("\(value * 10)" == vector["scaled"]?.string)
        }
        #expect(try text(of: Decimal.nan) == #""NaN""#)
        #expect(try text(of: Decimal.greatestFiniteMagnitude).count == 168)
        for wrong in ["", "1.", ".5", "1e200", "0x1", "1e-200", "1 "] {
            #expect(throws: DecodingError.self, "\(wrong)") { try read("\"\(wrong)\"") as Decimal }
        }
        let old = #"{"exponent":-1,"length":1,"isNegative":true,"isCompact":true,"mantissa":"#
        #expect(try read(old + "[15,0,0,0,0,0,0,0]}") == Decimal(string: "-1.5"))
    }

    @Test func `URLs are their text, unless they are relative to another`() throws {
        let url = try #require(URL(string: "https://example.org/a%20b?q=1#f"))
        #expect(try text(of: url) == #""https://example.org/a%20b?q=1#f""#)
        #expect(try read(#"{"relative":"https://example.org/a%20b?q=1#f"}"#) == url)
        #expect(throws: DecodingError.self) { try read(#""""#) as URL }
        let relative = try #require(URL(string: "b", relativeTo: URL(string: "https://e.org/a")))
        _ = try text(of: relative)
        let base = #"{"relative":"https://e.org/a"}"#
        #expect(try read(#"{"relative":"b","base":"# + base + "}") == relative)
    }

    @Test func `identifiers are text, and dates are exact`() throws {
        let id = "E621E1F8-C36C-495A-93FC-0C247A3E6E5F"
        #expect(try text(of: #require(UUID(uuidString: id))) == "\"\(id)\"")
        let date = Date(timeIntervalSinceReferenceDate: 760_000_000.123_456_7)
        #expect(try text(of: date) == "760000000.1234567")
    }

    // MARK: Depth

    /// As typed states are: a level of JSON each.
    final class Note: Codable, Sendable {
        let inner: Note?

        init(inner: Note?) { self.inner = inner }

        static func nested(_ levels: Int) -> Note {
            (1..<levels).reduce(Note(inner: nil)) { note, _ in Note(inner: note) }
        }
    }

    @Test func `what may be written can be read in a frame`() throws {
        let note = Note.nested(500)
        let tree = try JSONCoding.encodeTree(note)
        #expect(tree.depth == 500)
        let frame: JSON = ["op": "patch", "ops": [["op": "add", "path": "", "value": tree]]]
        let limits = JSONLimits(depth: JSONLimits.deepestNesting)
        let read = try JSONDocument(frame.bytes, limits: limits).root
        #expect(read["ops"]?[0]?["value"]?.json == tree)
        #expect(try JSONCoding.encode(note) == tree.bytes)
    }

    @Test(arguments: [501, 602, 3000]) func `what couldn't be read isn't written`(
        _ levels: Int
    ) throws {
        let note = Note.nested(levels)
        let tree = (0..<levels).reduce(JSON.null) { value, _ in [value] }
        let faults: [() throws -> Void] = [
            { _ = try JSONCoding.encodeTree(note) }, { _ = try JSONCoding.encode(note) },
            { _ = try JSONCoding.encode([note]) }, { _ = try JSONCoding.encodeTree(tree) },
            { _ = try JSONCoding.encode(tree) }, { _ = try JSONCoding.encodeTree([tree]) },
        ]
        for fault in faults {
            #expect { try fault() } throws: { error in
                JSONCoding.message(for: error) == "Arrays and objects nested over 500 levels."
            }
        }
    }

    @Test func `a tree inside a value counts with the levels around it`() throws {
        let tree = (0..<499).reduce(JSON.null) { value, _ in [value] }
        #expect(try JSONCoding.encodeTree(["a": tree]).depth == 500)
        #expect(throws: EncodingError.self) { try JSONCoding.encodeTree(["a": ["b": tree]]) }
    }
}
