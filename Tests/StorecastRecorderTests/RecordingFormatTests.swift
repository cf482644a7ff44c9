import StorecastPlatform
import StorecastRecorder
import Testing

struct RecordingFormatTests {
    private static let header = #"{"format":"storecast-recording","version":1}"#
    private static let example = Recording(entries: [
        .init(
            time: .zero,
            action: StandardAction(type: "Add", payload: ["by": 2], isTypedAction: true)),
        .init(
            time: .milliseconds(1250),
            action: StandardAction(type: "Clear", isTypedAction: true)),
        .init(time: .milliseconds(1250), action: StandardAction(type: "Line\nfeed")),
    ])

    @Test func `it is JSON Lines, one action a line`() {
        #expect(
            String(decoding: Self.example.bytes, as: UTF8.self) == """
                {"format":"storecast-recording","version":1}
                {"time":0,"action":{"type":"Add","payload":{"by":2},"isTypedAction":true}}
                {"time":1250000,"action":{"type":"Clear","isTypedAction":true}}
                {"time":1250000,"action":{"type":"Line\\nfeed","isTypedAction":false}}

                """)
    }

    @Test func `what was written is read again`() throws {
        #expect(try Recording(bytes: Self.example.bytes) == Self.example)
        #expect(try Recording(bytes: Recording().bytes) == Recording())
    }

    @Test func `times are kept in whole microseconds`() throws {
        let entry = Recording.Entry(time: .nanoseconds(1999), action: StandardAction(type: "Tick"))
        let again = try Recording(bytes: Recording(entries: [entry]).bytes)
        #expect(again.entries.map(\.time) == [.microseconds(1)])
    }

    @Test func `carriage returns, a missing last line feed and unknown members do no harm`() throws
    {
        let text =
            #"{"format":"storecast-recording","version":1,"by":"hand"}"# + "\r\n"
            + #"{"time":7,"note":"?","action":{"type":"Add","more":1}}"#
        #expect(
            try Recording(bytes: Array(text.utf8)).entries
                == [.init(time: .microseconds(7), action: StandardAction(type: "Add"))])
    }

    @Test(arguments: [
        ("", 1, "The file is empty; a recording begins with a header."),
        ("{}\n", 1, "The header of a recording is missing."),
        ("[1]\n", 1, "The header of a recording is missing."),
        (
            #"{"format":"storecast-recording","version":2}"#, 1,
            "The recording is of version 2, and this reads version 1."
        ),
        (
            header + "\n" + #"{"time":0,"action":{"type":"A"}}"# + "\n" + #"{"time":1,"act"#, 3,
            "The text is not JSON: unexpected input at byte 14."
        ),
        (header + "\n\n", 2, "The text is not JSON: unexpected input at byte 0."),
        (
            header + "\n" + #"{"time":1.5,"action":{"type":"A"}}"#, 2,
            "The member 'time' isn't a whole number of microseconds."
        ),
        (
            header + "\n" + #"{"time":-1,"action":{"type":"A"}}"#, 2,
            "The member 'time' isn't a whole number of microseconds."
        ),
        (header + "\n" + #"{"time":0}"#, 2, "The member 'action' is missing."),
        (
            header + "\n" + #"{"time":0,"action":{"payload":{}}}"#, 2,
            "The action can't be read. The member \"type\" is missing."
        ),
        (
            header + "\n" + #"{"time":5,"action":{"type":"A"}}"# + "\n"
                + #"{"time":4,"action":{"type":"A"}}"#, 3,
            "The time is before that of the line above."
        ),
    ])
    func `a damaged file gives an error that names the line`(
        text: String, line: Int, message: String
    ) throws {
        let error = try #require(throws: RecordingError.self) {
            try Recording(bytes: Array(text.utf8))
        }
        #expect(error.line == line)
        #expect(error.message == message)
    }

    @Test func `wherever a file ends early, the error names its last line`() throws {
        let bytes = Self.example.bytes
        var whole = 0
        for end in bytes.indices {
            let part = Array(bytes[..<end])
            let lines = part.split(separator: UInt8(ascii: "\n")).count
            do {
                let read = try Recording(bytes: part)
                #expect(read.entries == Array(Self.example.entries.prefix(lines - 1)))
                whole += 1
            } catch {
                #expect(error.line == max(lines, 1))
            }
        }
        // Before and after the line feed of the header and of two lines, before that of the last.
        #expect(whole == 7)
    }

    @Test func `wherever a byte is damaged, the error names its line`() throws {
        var bytes = Self.example.bytes
        var line = 1
        for index in bytes.indices {
            let byte = bytes[index]
            // No byte of UTF-8 (RFC 3629); in the place of a line feed it joins two lines.
            bytes[index] = 0xFF
            let error = try #require(throws: RecordingError.self) {
                try Recording(bytes: bytes)
            }
            #expect(error.line == line)
            bytes[index] = byte
            if byte == UInt8(ascii: "\n") { line += 1 }
        }
        #expect(line == 5)
    }

    @Test func `a file takes the place of the one before, and is read again`() throws {
        let path = "/tmp/storecast-recording-\(UInt64.random(in: 0 ... .max)).jsonl"
        defer { remove(path) }
        try Recording().write(to: path)
        try Self.example.write(to: path)
        #expect(try Recording(contentsOf: path) == Self.example)
    }

    @Test func `a file that isn't there is an error that names it`() throws {
        let error = try #require(throws: RecordingError.self) {
            try Recording(contentsOf: "/nowhere/at all")
        }
        #expect(error.line == nil)
        #expect(error.message == "/nowhere/at all can't be opened: No such file or directory.")
        #expect(throws: RecordingError.self) { try Recording().write(to: "/nowhere/at all") }
    }
}
