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
                #"~ /list/1  {"n":1} → {"n":2}"#,
                #"- /list/2  "last""#,
                #"> /list/0 → /a~1b"#,
                #"+ /\n  {"n":2}"#,
                #"= /a~1b  "first""#,
                #"~ (everything)  {"list":[{"n":2}],"a/b":"first","\n":{"n":2}} → null"#,
            ])
    }

    @Test func `a long value is shortened`() throws {
        let text = String(repeating: "x", count: 200)
        let lines = try ChangeText.lines(
            of: JSONPatch([.replace(path: JSONPointer(), value: .string(text))]), from: 1)
        #expect(lines == ["~ (everything)  1 → \"" + String(repeating: "x", count: 119) + "…"])
    }
}
