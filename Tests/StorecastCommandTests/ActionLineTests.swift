@testable import StorecastCommand
import StorecastSync
import Testing
import StorecastTools

struct ActionLineTests {
    @Test(
        arguments: [
            (#"{"type":"Say","payload":{"text":"Hi"}}"#, "Say", ["text": "Hi"]),
            (#"  {"type":"Leave"}"#, "Leave", nil), (#"Say {"text": "Hi"}"#, "Say", ["text": "Hi"]),
            ("Leave", "Leave", nil), ("Leave  \t", "Leave", nil),
        ] as [(String, String, JSON?)])
    func `an action is an object, or a type and a payload`(
        line: String, type: String, payload: JSON?
    ) throws {
        #expect(try ActionLine(parsing: line) == ActionLine(type: type, payload: payload))
    }

    @Test(arguments: ["", "   ", "\t"])
    func `an empty line is no action`(line: String) throws {
        #expect(try ActionLine(parsing: line) == nil)
    }

    @Test(arguments: [
        ("Say {\"text\":}", "line 1, column 9"), ("{\"type\":1}", "has no type"),
        ("{\"payload\":{}}", "has no type"), ("Say hello", "line 1, column 1"),
        ("Say {\"text\":\"x\"", "not complete"),
    ])
    func `a line that can't be read says where`(line: String, part: String) {
        let error = #expect(throws: CommandFailure.self) { try ActionLine(parsing: line) }
        #expect(error?.status == .trouble)
        #expect(error?.description.contains(part) == true, "\(error as Any)")
    }
}
