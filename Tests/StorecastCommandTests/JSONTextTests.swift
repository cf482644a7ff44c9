@testable import StorecastCommand
import StorecastSync
import Testing
import StorecastTools

struct JSONTextTests {
    @Test func `parameters are JSON, or else a string`() throws {
        #expect(try JSONText.parameter("todo") == "todo")
        #expect(try JSONText.parameter(#""todo""#) == "todo")
        #expect(try JSONText.parameter(#"{"path":"/a"}"#) == ["path": "/a"])
        #expect(try JSONText.parameter("12") == 12)
        #expect(try JSONText.parameter("12a") == "12a")
    }

    @Test(arguments: [#"{"path":"/mine""#, " [1", #""todo"#])
    func `what begins as JSON and isn't is no string`(text: String) {
        let error = #expect(throws: CommandFailure.self) { try JSONText.parameter(text) }
        #expect(error?.description.hasPrefix("The parameters can't be read: at line 1") == true)
    }

    @Test func `a byte order mark is named`() {
        let bytes: [UInt8] = [0xEF, 0xBB, 0xBF, 0x7B, 0x7D]
        let error = #expect(throws: JSONError.self) { try JSONDocument(bytes) }
        #expect(error?.sentence(in: bytes).contains("byte order mark") == true)
    }

    @Test(arguments: [
        ("{\n  \"a\": 1,\n  \"ü\": x\n}", "line 3, column 8"), ("[1,", "line 1, column 4"),
        ("[01]", "line 1, column 2"),
    ])
    func `what is wrong with a text is said by line and column`(text: String, place: String) {
        let error = #expect(throws: CommandFailure.self) { try JSONText.parse(text, "It") }
        #expect(error?.description.contains(place) == true, "\(error as Any)")
    }

    @Test func `pretty text has flat values on one line and the rest indented`() throws {
        let json = try JSON(
            parsing: #"{"b":[1,2,{"c":null}],"a":{"d":"x"},"e":[],"f":{}}"#)
        #expect(
            json.prettyText == """
                {
                  "b": [
                    1,
                    2,
                    {"c": null}
                  ],
                  "a": {"d": "x"},
                  "e": [],
                  "f": {}
                }
                """)
        #expect(try JSON(parsing: json.prettyText) == json)
        #expect(("x" as JSON).prettyText == #""x""#)
    }

    @Test func `text for a terminal holds no commands`() {
        #expect(
            "a\u{1B}[2J\u{9B}\u{7F}\n\tb\u{202E}".terminalSafe
                == "a\\u001b[2J\\u009b\\u007f\n\tb\\u202e")
        #expect("日本 👋".terminalSafe == "日本 👋")
    }
}
