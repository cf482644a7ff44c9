import StorecastWire
import Testing

/// Texts that Swift's `String` takes for equal, and that aren't the same bytes.
struct ExactStringTests {
    static let pairs = [
        ("\u{e9}", "e\u{301}"), ("K", "\u{212A}"), ("\u{c5}", "\u{212B}"),
        ("\u{1100}\u{1161}", "\u{ac00}"), ("a\u{323}\u{307} longer", "a\u{307}\u{323} longer"),
    ]

    @Test(arguments: pairs)
    func `texts of other bytes are other texts`(one: String, other: String) throws {
        try #require(one == other)
        #expect(ExactString(one) != ExactString(other))
        #expect(ExactString(one) == ExactString(String(decoding: one.utf8, as: UTF8.self)))
        #expect(Set([ExactString(one), ExactString(other), ExactString(one)]).count == 2)
        #expect((ExactString(one) < ExactString(other)) != (ExactString(other) < ExactString(one)))
    }

    @Test(arguments: pairs)
    func `a pointer of other bytes is another`(one: String, other: String) throws {
        let (left, right) = (JSONPointer(["a", one]), JSONPointer(["a", other]))
        #expect(left != right)
        #expect(Set([left, right, left]).count == 2)
        #expect(JSONPatch([.remove(path: left)]) != JSONPatch([.remove(path: right)]))
    }

    @Test(arguments: pairs)
    func `what is moved isn't moved into a member that looks like it`(
        one: String, other: String
    ) throws {
        var document: JSON = .object(
            JSONObject([(one, 1), (other, .object(JSONObject()))] as [(String, JSON)]))
        let patch = JSONPatch([
            .move(from: JSONPointer([one]), path: JSONPointer([other, "b"]))
        ])
        try patch.apply(to: &document)
        #expect(document == .object(JSONObject([(other, .object(["b": 1]))] as [(String, JSON)])))
    }

    @Test(arguments: pairs)
    func `a dictionary of strings refuses members that it would merge`(
        one: String, other: String
    ) throws {
        let object = JSON.object(JSONObject([(one, 1), (other, 2)] as [(String, JSON)]))
        let error = #expect(throws: DecodingError.self) {
            try JSONCoding.decode([String: Int].self, from: object)
        }
        #expect(error.map(JSONCoding.message)?.contains("canonically equivalent") == true)
        #expect(throws: DecodingError.self) {
            try JSONCoding.decode(
                [[String: [String: Int]?]].self,
                from: .array([.object(JSONObject([("\u{a0}", object)] as [(String, JSON)]))]))
        }
        #expect(
            try JSONCoding.decode([String: Int].self, from: [one: 1, "b": 2] as JSON).count == 2)
    }

    @Test(arguments: pairs)
    func `a dictionary of exact strings holds them all, as an object`(
        one: String, other: String
    ) throws {
        let object = JSON.object(JSONObject([(one, 1), (other, 2)] as [(String, JSON)]))
        let dictionary = try JSONCoding.decode([ExactString: Int].self, from: object)
        #expect(dictionary == [ExactString(one): 1, ExactString(other): 2])
        #expect(try JSONCoding.encodeTree(dictionary) == object)
    }
}
