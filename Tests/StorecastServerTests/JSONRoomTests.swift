@testable import StorecastServer
@testable import StorecastSync
import Testing

struct JSONRoomTests {
    // MARK: set

    @Test(
        arguments: [
            ("", .null), ("/a", 1), ("/new", ["x": .null]), ("/list/0", "zero"), ("/o/p/q", true),
            ("/a~1b", 2), ("/", 3),
        ] as [(String, JSON)])
    func `set replaces a value, or adds a member`(path: String, value: JSON) throws {
        let editor = JSONEditor(["a": 0, "list": [1, 2], "o": ["p": [:]], "a/b": 1])
        try editor.dispatch("set", ["path": .string(path), "value": value])
        #expect(try editor.value(at: path) == value)
    }

    @Test func `set changes nothing else`() throws {
        let editor = JSONEditor(["a": ["b": 1, "c": 2], "d": [1, 2, 3]])
        try editor.dispatch("set", ["path": "/a/b", "value": 10])
        try editor.dispatch("set", ["path": "/d/1", "value": 20])
        #expect("\(editor.document)" == #"{"a":{"b":10,"c":2},"d":[1,20,3]}"#)
    }

    @Test(arguments: [
        ("/no/where", "the root", "\"no\""), ("/a/b/c", "\"/a/b\"", "\"c\""),
        ("/list/2", "\"/list\"", "2"), ("/list/-", "\"/list\"", "\"-\""),
        ("/list/01", "\"/list\"", "\"01\""),
    ])
    func `a path that can't be followed is rejected, and the rejection says where it ends`(
        path: String, end: String, token: String
    ) throws {
        let editor = JSONEditor(["a": ["b": 1], "list": [1, 2]])
        for type in ["set", "merge", "increment", "append", "remove"] {
            let payload: JSON = ["path": .string(path), "value": 1]
            let rejection = try #require(editor.rejection(type, payload), "\(type)")
            #expect(rejection.code == .conflict)
            #expect(rejection.detail?.contains("ends at \(end)") == true, "\(rejection)")
            #expect(rejection.detail?.contains(token) == true, "\(rejection)")
        }
    }

    @Test func `a payload that can't be read is rejected, and the rejection names the member`() {
        let editor = JSONEditor(["a": 1])
        let payloads: [(String, JSON, String)] = [
            ("set", ["path": "a", "value": 1], "path"),
            ("set", ["path": "/a~2", "value": 1], "path"),
            ("set", ["path": 1, "value": 1], "path"), ("set", ["value": 1], "path"),
            ("set", ["path": "/a"], "value"), ("append", ["path": "/a"], "value"),
            ("increment", ["path": "/a", "by": "1"], "by"),
            ("increment", ["path": "/a", "by": .null], "by"),
        ]
        for (type, payload, member) in payloads {
            let rejection = editor.rejection(type, payload)
            #expect(rejection?.code == .invalid, "\(payload)")
            #expect(rejection?.detail?.contains(member) == true, "\(payload): \(rejection as Any)")
        }
        #expect(editor.rejection("replace", [:])?.code == .unknownAction)
    }

    // MARK: merge

    @Test func `merge merges objects, removes members that are null, and replaces the rest`() throws
    {
        // RFC 7396, section 3.
        let editor = JSONEditor([
            "doc": [
                "title": "Goodbye!",
                "author": ["givenName": "John", "familyName": "Doe"],
                "tags": ["example", "sample"],
                "content": "This will be unchanged",
            ]
        ])
        try editor.dispatch(
            "merge",
            [
                "path": "/doc",
                "value": [
                    "title": "Hello!", "phoneNumber": "+01-123-456-7890",
                    "author": ["familyName": .null], "tags": ["example"],
                ],
            ])
        #expect(
            try editor.value(at: "/doc") == [
                "title": "Hello!", "author": ["givenName": "John"], "tags": ["example"],
                "content": "This will be unchanged", "phoneNumber": "+01-123-456-7890",
            ])
    }

    @Test func `merge into a missing member starts with an empty object`() throws {
        let editor = JSONEditor([:])
        try editor.dispatch("merge", ["path": "/a", "value": ["b": 1, "c": .null]])
        #expect(editor.document == ["a": ["b": 1]])
    }

    // MARK: increment

    @Test(arguments: [
        ("1", "2", "3"), ("1", "-2", "-1"), ("1", "0.5", "1.5"), ("0.5", "1", "1.5"),
        ("9223372036854775806", "1", "9223372036854775807"),
        ("9223372036854775807", "1", "9223372036854775808"),
        ("9223372036854775808", "-1", "9223372036854775807"),
        ("-9223372036854775808", "18446744073709551615", "9223372036854775807"),
        ("9007199254740992", "1", "9007199254740993"),
    ])
    func `increment is exact`(value: String, by: String, sum: String) throws {
        let editor = try JSONEditor(["n": JSON(parsing: value)])
        try editor.dispatch("increment", ["path": "/n", "by": JSON(parsing: by)])
        #expect(try "\(editor.value(at: "/n"))" == sum)
    }

    @Test(arguments: [
        ("18446744073709551615", "1"), ("-9223372036854775808", "-1"),
        ("1.7976931348623157e308", "1.7976931348623157e308"), ("\"1\"", "1"), ("null", "1"),
        ("[1]", "1"),
    ])
    func `increment beyond 64 bits, or of something else than a number, is rejected`(
        value: String, by: String
    ) throws {
        let editor = try JSONEditor(["n": JSON(parsing: value)])
        let payload: JSON = try ["path": "/n", "by": JSON(parsing: by)]
        #expect(editor.rejection("increment", payload)?.code == .conflict)
    }

    @Test func `increment counts a missing member as 0, and what is left out as 1`() throws {
        let editor = JSONEditor(["votes": [:]])
        try editor.dispatch("increment", ["path": "/votes/ada", "by": 5])
        try editor.dispatch("increment", ["path": "/votes/bob"])
        try editor.dispatch("increment", ["path": "/votes/bob"])
        #expect(editor.document == ["votes": ["ada": 5, "bob": 2]])
    }

    // MARK: append, remove

    @Test func `append adds to the end of an array`() throws {
        let editor = JSONEditor(["list": [1]])
        try editor.dispatch("append", ["path": "/list", "value": [2]])
        try editor.dispatch("append", ["path": "/list", "value": .null])
        #expect(editor.document == ["list": [1, [2], .null]])
        #expect(editor.rejection("append", ["path": "", "value": 1])?.code == .conflict)
        #expect(editor.rejection("append", ["path": "/none", "value": 1])?.code == .conflict)
    }

    @Test func `remove takes out a member, or an element whose successors move up`() throws {
        let editor = JSONEditor(["a": 1, "b": 2, "list": [1, 2, 3]])
        try editor.dispatch("remove", ["path": "/a"])
        try editor.dispatch("remove", ["path": "/list/1"])
        #expect(editor.document == ["b": 2, "list": [1, 3]])
        #expect(editor.rejection("remove", ["path": "/a"])?.code == .conflict)
        #expect(editor.rejection("remove", ["path": "/list/2"])?.code == .conflict)
        #expect(editor.rejection("remove", ["path": ""])?.code == .invalid)
    }

    // MARK: limits and the selection

    @Test func `the document can't grow too deep, step by step either`() throws {
        let editor = JSONEditor([:])
        var path = ""
        var rejection: Rejection?
        for _ in 0...JSONRoom.deepestDocument where rejection == nil {
            path += "/a"
            rejection = editor.rejection("set", ["path": .string(path), "value": [:]])
        }
        #expect(rejection?.code == .invalid)
        #expect(editor.document.depth == JSONRoom.deepestDocument)
    }

    /// Whichever edit would make it so.
    @Test(arguments: ["set", "merge", "append"], [JSONRoom.deepestDocument - 1, 9, 0])
    func `a value may be as deep as fits where it is put, and no deeper`(
        edit: String, levels: Int
    ) throws {
        func nested(_ levels: Int) -> JSON {
            (0..<levels).reduce(1) { value, _ in edit == "append" ? [value] : ["b": value] }
        }
        // The document is an object with a list in it; what is appended is in the list.
        let editor = JSONEditor(["a": edit == "append" ? [] : [:]])
        let fits = JSONRoom.deepestDocument - (edit == "append" ? 2 : 1)
        let rejection = editor.rejection(edit, ["path": "/a", "value": nested(min(levels, fits))])
        #expect(rejection == nil)
        #expect(editor.document.depth <= JSONRoom.deepestDocument)
        let deeper = editor.rejection(edit, ["path": "/a", "value": nested(fits + 1)])
        #expect(deeper?.code == .invalid)
        #expect(editor.document.depth <= JSONRoom.deepestDocument)
    }

    @Test func `what is replaced doesn't count`() throws {
        let large = JSON.string(String(repeating: "x", count: JSONRoom.longestDocument - 100))
        let editor = JSONEditor(["a": large])
        try editor.dispatch("set", ["path": "/a", "value": large])
        try editor.dispatch("set", ["path": "", "value": ["small": true]])
        #expect(editor.document == ["small": true])
    }

    @Test func `the document can't grow too large, step by step either`() throws {
        let editor = JSONEditor(["list": []])
        let part = JSON.string(String(repeating: "x", count: 300_000))
        var rejection: Rejection?
        for _ in 0..<10 where rejection == nil {
            rejection = editor.rejection("append", ["path": "/list", "value": part])
        }
        #expect(rejection?.code == .conflict)
        #expect(editor.document.encodedSize <= JSONRoom.longestDocument)
        #expect(editor.document["list"]?.array?.count == 3)
    }

    @Test func `a sum is longer than what it is added to, and counts`() throws {
        let editor = JSONEditor(["n": 98], bytes: #"{"n":99}"#.utf8.count)
        try editor.dispatch("increment", ["path": "/n"])
        #expect(editor.rejection("increment", ["path": "/n"])?.code == .conflict)
        try editor.dispatch("increment", ["path": "/n", "by": -90])
        #expect(editor.document == ["n": 9])
    }

    @Test(arguments: [500_000, 2 << 20])
    func `how large it may become is the room's to say, and is kept with each edit`(
        bytes: Int
    ) throws {
        let editor = JSONEditor(["list": []], bytes: bytes)
        let part = JSON.string(String(repeating: "x", count: 300_000))
        let edit: JSON = ["path": "/list", "value": part]
        for _ in 0..<bytes / 300_000 { try editor.dispatch("append", edit) }
        let rejection = editor.rejection("append", edit)
        #expect(rejection?.detail == "At most \(bytes) bytes.")
        try editor.dispatch("set", ["path": "/list/0", "value": 1])
        try editor.dispatch("append", edit)
        let other = JSONEditor(["list": []], bytes: 1000)
        try other.replay(editor)
        #expect(other.document == editor.document)
    }

    @Test func `a client doesn't say how large it may become`() throws {
        let editor = JSONEditor(["a": 0])
        for type in ["set", "append", "merge", "increment"] {
            let edit: JSON = ["path": "/a", "value": 1, "within": 1_000_000_000]
            #expect(editor.rejection(type, edit)?.code == .invalid)
        }
    }

    @Test func `a document that grew too large for a new bound can be made smaller`() throws {
        let large = JSON.string(String(repeating: "x", count: 2000))
        let editor = JSONEditor(["a": large, "b": large], bytes: 1000)
        try editor.dispatch("set", ["path": "/a", "value": "y"])
        #expect(editor.rejection("append", ["path": "", "value": 1])?.code == .conflict)
        #expect(editor.rejection("set", ["path": "/c", "value": 1])?.code == .conflict)
    }

    @Test func `a document that was written and read is edited alike`() throws {
        let numbers: [JSON] = [
            1.5, 0.5, 1, .double(1e15), .double(0x1p53 - 1), .double(0x1p53), .double(1e18),
            .double(-0.0), .double(1e19), .double(1e20), .int(.max), -3, .double(0.1),
        ]
        for first in numbers {
            for second in numbers {
                let live = JSONEditor(["n": first])
                let read = try JSONEditor(JSONDocument(live.document.canonicalBytes).root.json)
                for by in [second, 1, second] {
                    let (left, right) = (
                        live.rejection("increment", ["path": "/n", "by": by]),
                        read.rejection("increment", ["path": "/n", "by": by])
                    )
                    #expect(left?.code == right?.code, "\(first) + \(by)")
                    #expect(live.document == read.document, "\(first) + \(by)")
                }
            }
        }
    }

    @Test func `the selection shows what is at the path, and null where nothing is`() throws {
        let editor = JSONEditor(["a": ["b": [1, 2]]])
        #expect(try editor.value(at: "") == editor.document)
        #expect(try editor.value(at: "/a/b/1") == 2)
        #expect(try editor.value(at: "/a/c/d") == .null)
    }

    @Test func `the size is that of the document's text, whatever was edited`() throws {
        var random = SeededGenerator(seed: 7)
        let editor = JSONEditor(["a": [], "b": ["c": 1]])
        let paths = ["", "/a", "/a/0", "/b", "/b/c", "/b/\u{e9}\"\n", "/x", "/x/y"]
        let values: [JSON] = [
            .null, 12, -0.5, "\u{1}é", [1, 2], ["c": .null, "d": ["e": 2]], ["c": 100], [],
        ]
        var done = 0
        for _ in 0..<6000 {
            let path = JSON.string(paths[random.below(paths.count)])
            let value = values[random.below(values.count)]
            let both: JSON = ["path": path, "value": value]
            let edits: [(String, JSON)] = [
                ("set", both), ("append", both), ("merge", both), ("remove", ["path": path]),
                ("increment", ["path": path, "by": 9]),
            ]
            let (type, payload) = edits[random.below(edits.count)]
            guard (try? editor.dispatch(type, payload)) != nil else { continue }
            done += 1
            try #require(editor.size == "\(editor.document)".utf8.count, "\(type) \(payload)")
        }
        #expect(done > 500)
    }
}
