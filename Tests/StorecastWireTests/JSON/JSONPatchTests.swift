import Testing

@testable import StorecastWire

@Suite struct JSONPatchTests {
    private func patch(_ json: JSON) throws -> JSONPatch {
        try JSONPatch(reading: JSONDocument(json.description).root)
    }

    /// RFC 6902 appendix A: the document, the patch, the result. A.8, A.9, A.12, A.13 and A.15,
    /// which fail, follow below.
    static let vectors: [(JSON, JSON, JSON)] = [
        (
            ["foo": "bar"], [["op": "add", "path": "/baz", "value": "qux"]],
            ["baz": "qux", "foo": "bar"]
        ),
        (
            ["foo": ["bar", "baz"]], [["op": "add", "path": "/foo/1", "value": "qux"]],
            ["foo": ["bar", "qux", "baz"]]
        ),
        (["baz": "qux", "foo": "bar"], [["op": "remove", "path": "/baz"]], ["foo": "bar"]),
        (
            ["foo": ["bar", "qux", "baz"]], [["op": "remove", "path": "/foo/1"]],
            ["foo": ["bar", "baz"]]
        ),
        (
            ["baz": "qux", "foo": "bar"], [["op": "replace", "path": "/baz", "value": "boo"]],
            ["baz": "boo", "foo": "bar"]
        ),
        (
            ["foo": ["bar": "baz", "waldo": "fred"], "qux": ["corge": "grault"]],
            [["op": "move", "from": "/foo/waldo", "path": "/qux/thud"]],
            ["foo": ["bar": "baz"], "qux": ["corge": "grault", "thud": "fred"]]
        ),
        (
            ["foo": ["all", "grass", "cows", "eat"]],
            [["op": "move", "from": "/foo/1", "path": "/foo/3"]],
            ["foo": ["all", "cows", "eat", "grass"]]
        ),
        (
            ["baz": "qux", "foo": ["a", 2, "c"]],
            [
                ["op": "test", "path": "/baz", "value": "qux"],
                ["op": "test", "path": "/foo/1", "value": 2],
            ],
            ["baz": "qux", "foo": ["a", 2, "c"]]
        ),
        (
            ["foo": "bar"], [["op": "add", "path": "/child", "value": ["grandchild": [:]]]],
            ["foo": "bar", "child": ["grandchild": [:]]]
        ),
        (
            ["foo": "bar"], [["op": "add", "path": "/baz", "value": "qux", "xyz": 123]],
            ["foo": "bar", "baz": "qux"]
        ),
        (["/": 9, "~1": 10], [["op": "test", "path": "/~01", "value": 10]], ["/": 9, "~1": 10]),
        (
            ["foo": ["bar"]], [["op": "add", "path": "/foo/-", "value": ["abc", "def"]]],
            ["foo": ["bar", ["abc", "def"]]]
        ),
        // Beyond the appendix.
        (["a": 1], [["op": "add", "path": "", "value": [2]]], [2]),
        (["a": 1], [["op": "replace", "path": "", "value": .null]], .null),
        (["a": 1], [["op": "add", "path": "/a", "value": 2]], ["a": 2]),
        (["a": [1]], [["op": "copy", "from": "/a", "path": "/b"]], ["a": [1], "b": [1]]),
        (["a": [1]], [["op": "copy", "from": "", "path": "/a/0"]], ["a": [["a": [1]], 1]]),
        (["a": ["b": 1]], [["op": "move", "from": "/a/b", "path": "/a"]], ["a": 1]),
        (["a": 1], [["op": "move", "from": "/a", "path": "/a"]], ["a": 1]),
        (["a": 1, "ab": 2], [["op": "move", "from": "/a", "path": "/ab"]], ["ab": 1]),
        ([1], [["op": "add", "path": "/1", "value": 2]], [1, 2]),
        (["a": .null], [["op": "test", "path": "/a", "value": .null]], ["a": .null]),
        (["a": 1.0], [["op": "test", "path": "/a", "value": 1]], ["a": 1]),
    ]

    @Test(arguments: vectors) func `the examples of RFC 6902 apply, and write as they read`(
        _ document: JSON, _ operations: JSON, _ result: JSON
    ) throws {
        let patch = try patch(operations)
        var value = document
        try patch.apply(to: &value)
        #expect(value == result)
        var writer = JSONWriter()
        patch.write(to: &writer)
        #expect(try JSONPatch(reading: JSONDocument(writer.bytes).root) == patch)
        #expect(
            writer.bytes.count == 2 + patch.operations.map(\.encodedSize).reduce(0, +)
                + max(patch.operations.count - 1, 0))
    }

    static let failures: [(JSON, JSON, JSONPatchError.Reason)] = [
        (
            ["baz": "qux"], ["op": "test", "path": "/baz", "value": "bar"],
            .testFailed(JSONPointer(["baz"]))
        ),
        (
            ["/": 9, "~1": 10], ["op": "test", "path": "/~01", "value": "10"],
            .testFailed(JSONPointer(["~1"]))
        ),
        (
            ["foo": "bar"], ["op": "add", "path": "/baz/bat", "value": "qux"],
            .path(JSONPointerError(.noMember, end: JSONPointer(), token: "baz"))
        ),
        (
            ["a": 1], ["op": "remove", "path": ""],
            .path(JSONPointerError(.root, end: JSONPointer(), token: ""))
        ),
        (
            ["a": 1], ["op": "replace", "path": "/b", "value": 1],
            .path(JSONPointerError(.noMember, end: JSONPointer(), token: "b"))
        ),
        (
            [1], ["op": "add", "path": "/2", "value": 1],
            .path(JSONPointerError(.noElement, end: JSONPointer(), token: "2"))
        ),
        (
            [1], ["op": "remove", "path": "/-"],
            .path(JSONPointerError(.notAnIndex, end: JSONPointer(), token: "-"))
        ),
        (
            ["a": 1], ["op": "add", "path": "/a/b", "value": 1],
            .path(JSONPointerError(.scalar, end: JSONPointer(["a"]), token: "b"))
        ),
        (
            ["a": ["b": 1]], ["op": "move", "from": "/a", "path": "/a/b"],
            .intoItself(JSONPointer(["a"]))
        ),
        (["a": 1], ["op": "move", "from": "", "path": "/a"], .intoItself(JSONPointer())),
        (
            ["a": 1], ["op": "move", "from": "/x", "path": "/x"],
            .path(JSONPointerError(.noMember, end: JSONPointer(), token: "x"))
        ),
        (
            ["a": 1], ["op": "copy", "from": "/x", "path": "/y"],
            .path(JSONPointerError(.noMember, end: JSONPointer(), token: "x"))
        ),
    ]

    @Test(arguments: failures) func `an operation that fails leaves everything as it was`(
        _ document: JSON, _ operation: JSON, _ reason: JSONPatchError.Reason
    ) throws {
        let before: JSON = ["list": [1, 2, 3], "first": 1, "second": 2, "document": document]
        // Work that has to be taken back comes first.
        var operations: [JSON] = [
            ["op": "remove", "path": "/first"], ["op": "add", "path": "/list/1", "value": "x"],
            ["op": "move", "from": "/second", "path": "/list/0"],
            ["op": "remove", "path": "/list/2"],
            ["op": "replace", "path": "/list", "value": 5],
            ["op": "add", "path": "/new", "value": [1]],
            ["op": "copy", "from": "/new", "path": "/new/-"],
        ]
        let path = { (member: String) in "/document" + (operation[member]?.string ?? "") }
        var inner = operation
        inner["path"] = .string(path("path"))
        if operation["from"] != nil { inner["from"] = .string(path("from")) }
        let fails = operation["path"] != "" && operation["from"] != ""
        operations.append(fails ? inner : ["op": "remove", "path": "/nowhere"])
        var value = before
        let index = operations.count - 1
        #expect { try patch(.array(operations)).apply(to: &value) } throws: { error in
            (error as? JSONPatchError)?.index == index
        }
        #expect(value.description == before.description)
        var alone = document
        #expect(throws: JSONPatchError(reason, at: 0)) { try patch([operation]).apply(to: &alone) }
        #expect(alone.description == document.description)
    }

    static let malformed: [(JSON, String)] = [
        (["op": "add"], "A patch is an array, not an object."),
        ([1], "Operation 0: It has no member \"op\" that is a string."),
        ([["path": "/a"]], "Operation 0: It has no member \"op\" that is a string."),
        ([["op": "remove"]], "Operation 0: It has no member \"path\" that is a string."),
        ([["op": "add", "path": "/a"]], "Operation 0: It has no member \"value\"."),
        (
            [["op": "move", "path": "/a"]],
            "Operation 0: It has no member \"from\" that is a string."
        ),
        (
            [["op": "remove", "path": "/a"], ["op": "spam", "path": "/a"]],
            "Operation 1: There is no operation \"spam\"."
        ),
        (
            [["op": "remove", "path": "a"]],
            "Operation 0: A path is empty or begins with \"/\"; \"a\" does not."
        ),
    ]

    @Test(arguments: malformed) func `a malformed patch is refused with a sentence`(
        _ json: JSON, _ message: String
    ) {
        #expect { try patch(json) } throws: { ($0 as? JSONPatchError)?.message == message }
    }

    @Test func `copies can't make a value enormous or too deep`() throws {
        let doubling = JSONPatch(
            (0..<64).map { .copy(from: JSONPointer(), path: JSONPointer(["a\($0)"])) })
        var value: JSON = ["text": "twelve bytes"]
        #expect { try doubling.apply(to: &value) } throws: { error in
            (error as? JSONPatchError)?.reason == .tooLarge
        }
        #expect(value == ["text": "twelve bytes"])
        let wide = JSONPatch(
            (0..<32).map { _ in .copy(from: JSONPointer(["a"]), path: JSONPointer(["-"])) })
        var list: JSON = [1]
        #expect(throws: JSONPatchError.self) { try wide.apply(to: &list) }
        let deep = JSONPatch([.add(path: JSONPointer(["0"]), value: [[[]]])])
        try deep.apply(to: &list, limits: JSONLimits(depth: 4))
        #expect(throws: JSONPatchError(.tooLarge, at: 0)) {
            try deep.apply(to: &list, limits: JSONLimits(depth: 3))
        }
    }

    /// Each copy is let through alone; all of them are more than comes as a snapshot.
    @Test func `copies in a patch that a server has sent are bounded together`() throws {
        let text = JSON.string(String(repeating: "x", count: 20 << 20))
        let copy = JSONPatch.Operation.copy(
            from: JSONPointer(["0"]), path: JSONPointer(["-"]))
        var value: JSON = [text]
        let growth = try JSONPatch([copy, copy]).applySent(to: &value, isMeasured: true)
        #expect(growth == 2 * (20 << 20 + 3))
        #expect(throws: JSONPatchError.self) {
            try JSONPatch([copy]).applySent(to: &value)
        }
        value = [text]
        #expect(throws: JSONPatchError.self) {
            try JSONPatch([copy, copy, copy, copy]).applySent(to: &value)
        }
    }

    /// A document, operations, the limits that they just keep, and those that the last one exceeds.
    static let limited: [(JSON, JSON, JSONLimits, JSONLimits)] = [
        // All copies count together, the text of each as it is then.
        (
            ["a": "12345678"], [["op": "copy", "from": "/a", "path": "/b"]], JSONLimits(bytes: 10),
            JSONLimits(bytes: 9)
        ),
        (
            ["a": "12345678"],
            [
                ["op": "copy", "from": "/a", "path": "/b"],
                ["op": "copy", "from": "/b", "path": "/c"],
                ["op": "copy", "from": "/a", "path": "/d"],
            ], JSONLimits(bytes: 30), JSONLimits(bytes: 29)
        ),
        (
            ["a": [1]],
            [
                ["op": "copy", "from": "/a", "path": "/a/-"],
                ["op": "copy", "from": "/a", "path": "/a/-"],
            ], JSONLimits(bytes: 10), JSONLimits(bytes: 9)
        ),
        // Also those of which nothing is left.
        (
            ["a": "12345678"],
            [
                ["op": "copy", "from": "/a", "path": "/b"], ["op": "remove", "path": "/b"],
                ["op": "copy", "from": "/a", "path": "/b"],
                ["op": "copy", "from": "/a", "path": "/b"],
            ], JSONLimits(bytes: 30), JSONLimits(bytes: 29)
        ),
        // However a value comes to be where it is.
        (
            ["a": []], [["op": "add", "path": "/a/0", "value": [[]]]], JSONLimits(depth: 4),
            JSONLimits(depth: 3)
        ),
        (
            ["a": []], [["op": "replace", "path": "/a", "value": [[[]]]]], JSONLimits(depth: 4),
            JSONLimits(depth: 3)
        ),
        (
            ["a": []], [["op": "replace", "path": "", "value": [[[[]]]]]], JSONLimits(depth: 4),
            JSONLimits(depth: 3)
        ),
        (
            ["a": [[]], "b": []], [["op": "copy", "from": "/a", "path": "/b/0"]],
            JSONLimits(depth: 4), JSONLimits(depth: 3)
        ),
        (
            ["a": [[]], "b": []], [["op": "move", "from": "/a", "path": "/b/0"]],
            JSONLimits(depth: 4), JSONLimits(depth: 3)
        ),
    ]

    @Test(arguments: limited) func `a patch beyond a limit is too large, and changes nothing`(
        _ document: JSON, _ operations: JSON, _ enough: JSONLimits, _ tooFew: JSONLimits
    ) throws {
        let patch = try patch(operations)
        var value = document
        try patch.apply(to: &value, limits: enough)
        #expect(value != document)
        value = document
        let last = patch.operations.count - 1
        #expect(throws: JSONPatchError(.tooLarge, at: last)) {
            try patch.apply(to: &value, limits: tooFew)
        }
        #expect(value.description == document.description)
    }

    @Test func `a failing patch of random operations leaves the text as it was`() {
        for seed in 0..<500 {
            var random = SeededRandom(UInt64(seed))
            let before = random.json()
            let after = random.changed(before)
            var patch = JSONPatch.diff(from: before, to: after)
            patch.operations.append(.test(path: JSONPointer(), value: "never"))
            var value = before
            #expect(throws: JSONPatchError.self) { try patch.apply(to: &value) }
            #expect(value.description == before.description, "seed \(seed)")
        }
    }
}
