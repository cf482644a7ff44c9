import Testing

@testable import StorecastWire

@Suite struct JSONPointerTests {
    /// RFC 6901 §5.
    static let document: JSON = [
        "foo": ["bar", "baz"], "": 0, "a/b": 1, "c%d": 2, "e^f": 3, "g|h": 4, "i\\j": 5, "k\"l": 6,
        " ": 7, "m~n": 8,
    ]

    static let vectors: [(String, JSON)] = [
        ("", document), ("/foo", ["bar", "baz"]), ("/foo/0", "bar"), ("/", 0), ("/a~1b", 1),
        ("/c%d", 2), ("/e^f", 3), ("/g|h", 4), ("/i\\j", 5), ("/k\"l", 6), ("/ ", 7), ("/m~0n", 8),
    ]

    @Test(arguments: vectors) func `the examples of RFC 6901 resolve`(_ text: String, _ value: JSON)
        throws
    {
        let pointer = try JSONPointer(parsing: text)
        #expect(try pointer.resolve(in: Self.document) == value)
        #expect(pointer.description == text)
    }

    @Test func `the escape for a tilde is read once`() throws {
        #expect(try JSONPointer(parsing: "/~01").tokens == ["~1"])
        #expect(try JSONPointer(parsing: "//a//").tokens == ["", "a", "", ""])
        #expect(JSONPointer(["~1", "/", ""]).description == "/~01/~1/")
        #expect(JSONPointer().appending("a").appending(3).description == "/a/3")
    }

    @Test(arguments: ["a", "a/b", " /a"]) func `a text without its slash is refused`(_ text: String)
    {
        #expect(throws: JSONPointerError(.noSlash, end: JSONPointer(), token: text)) {
            try JSONPointer(parsing: text)
        }
    }

    @Test(arguments: ["~", "~2", "a~", "~~0", "~0~"])
    func `an escape that does not exist is refused`(
        _ token: String
    ) {
        #expect(throws: JSONPointerError(.badEscape, end: JSONPointer(["x"]), token: token)) {
            try JSONPointer(parsing: "/x/\(token)/y")
        }
    }

    static let dead: [(String, JSONPointerError.Reason, String, String)] = [
        ("/a/x/y", .noMember, "/a", "x"), ("/list/3", .noElement, "/list", "3"),
        ("/list/-", .notAnIndex, "/list", "-"), ("/list/01", .notAnIndex, "/list", "01"),
        ("/list/", .notAnIndex, "/list", ""), ("/list/-1", .notAnIndex, "/list", "-1"),
        ("/list/1e0", .notAnIndex, "/list", "1e0"), ("/list/+1", .notAnIndex, "/list", "+1"),
        ("/list/99999999999999999999", .notAnIndex, "/list", "99999999999999999999"),
        ("/list/0/0", .scalar, "/list/0", "0"), ("/n", .noMember, "", "n"),
    ]

    @Test(arguments: dead) func `a path that leads nowhere says where it ends`(
        _ text: String, _ reason: JSONPointerError.Reason, _ end: String, _ token: String
    ) throws {
        let json: JSON = ["a": ["b": 1], "list": [1, 2, 3]]
        let pointer = try JSONPointer(parsing: text)
        let error = JSONPointerError(reason, end: try JSONPointer(parsing: end), token: token)
        #expect(throws: error) { try pointer.resolve(in: json) }
        var copy = json
        #expect(throws: error) { try copy.modify(at: pointer) { $0 = .null } }
        #expect(copy == json)
        #expect(error.message.contains(token))
    }
}
