import StorecastSync
import Testing

@testable import StorecastTools

struct ChangeTextTests {
    @Test func `each operation is a line that has what was there before`() throws {
        let lines = try ChangeText.lines(
            of: JSONPatch([
                .add(path: JSONPointer(["list", "0"]), value: "first"),
                .replace(path: JSONPointer(["list", "1"]), value: ["n": 2]),
                .remove(path: JSONPointer(["list", "2"])),
                .move(from: JSONPointer(["list", "0"]), path: JSONPointer(["a/b"])),
                .copy(from: JSONPointer(["list", "0"]), path: JSONPointer(["\n"])),
                .test(path: JSONPointer(["a/b"]), value: "first"),
                .replace(path: JSONPointer(), value: .null),
            ]), from: ["list": [["n": 1], "last"]])
        #expect(
            lines == [
                #"+ /list/0  "first""#,
                "~ /list/1/n  1 → 2",
                #"- /list/2  "last""#,
                #"> /list/0 → /a~1b"#,
                #"+ /\n  {"n":2}"#,
                #"= /a~1b  "first""#,
                #"~ (everything)  {"list":[{"n":2}],"a/b":"first","\n":{"n":2}} → null"#,
            ])
    }

    /// What it was and is, and what is said to have changed.
    @Test(arguments: [
        (
            #"{"a":1,"b":[1],"c":0}"#, #"{"b":[2],"c":0,"d":3}"#,
            ["- /a  1", "~ /b/0  1 → 2", "+ /d  3"]
        ),
        ("[1,2,3]", "[1,9,8,2,3]", ["+ /1  9", "+ /2  8"]),
        ("[1,2,3,4]", "[1,4]", ["- /1  2", "- /1  3"]),
        ("[1,1,1]", "[1,1]", ["- /2  1"]),
        ("[]", "[[]]", ["+ /0  []"]),
        ("[1,2,3]", "[4,5]", ["~ (everything)  [1,2,3] → [4,5]"]),
        (#"[{"a":1},2]"#, #"[{"a":2},3]"#, ["~ /0/a  1 → 2", "~ /1  2 → 3"]),
        (#"{"a":1}"#, #"{"b":1}"#, [#"~ (everything)  {"a":1} → {"b":1}"#]),
        (#"{"a":{"b":null}}"#, #"{"a":null}"#, [#"~ /a  {"b":null} → null"#]),
    ])
    func `what was replaced is said in as small changes as can be`(
        old: String, new: String, changes: [String]
    ) throws {
        let patch = JSONPatch([.replace(path: JSONPointer(), value: try JSON(parsing: new))])
        #expect(try ChangeText.lines(of: patch, from: JSON(parsing: old)) == changes)
    }

    @Test func `a long value is shortened`() throws {
        let text = String(repeating: "x", count: 200)
        let lines = try ChangeText.lines(
            of: JSONPatch([.replace(path: JSONPointer(), value: .string(text))]), from: 1)
        #expect(lines == ["~ (everything)  1 → \"" + String(repeating: "x", count: 119) + "…"])
    }
}
