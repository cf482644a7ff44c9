@testable import StorecastRoom
import Testing

struct JournalLineTests {
    static let header =
        #"{"journal":"storecast","format":1,"room":"/boards/lobby","epoch":"c0ffee"}"#
    static let action =
        #"{"offset":7,"time":1763726400.5,"sender":{"id":"ada","roles":["admin","owner"]},"#
        + #""client":"ada-0123456789abcdef","seq":3,"base":5,"settled":2,"#
        + #""seed":"18446744073709551615","schema":2,"#
        + #""actions":[{"type":"AddTea","payload":{"by":2}},{"type":"Wait","payload":{}}]}"#
    static let rejected =
        #"{"offset":8,"time":0,"sender":{"id":""},"client":"c","seq":1,"base":0,"settled":0,"#
        + #""seed":"0","schema":1,"actions":[],"#
        + #""rejection":{"code":"forbidden","title":"No.","detail":"Not \"you\"."}}"#
    static let refused =
        #"{"offset":9,"time":0,"sender":{"id":""},"client":"c","seq":2,"base":0,"settled":0,"#
        + #""seed":"0","schema":1,"actions":[],"rejection":{"code":"unknown-action","title":"No."},"#
        + #""refused":{"type":"Beer","bytes":9,"digest":"19f6b03edaaf5bfd"}}"#
    static let refusedEarlier =
        #"{"offset":9,"time":0,"sender":{"id":""},"client":"c","seq":2,"base":0,"settled":0,"#
        + #""seed":"0","schema":1,"actions":[],"rejection":{"code":"unknown-action","title":"No."},"#
        + #""refused":{"type":"Beer","payload":"{\"by\": 1}","bytes":9}}"#
    static let snapshot = #"{"offset":8,"version":6,"snapshot":{"format":1,"state":1}}"#

    static let lines: [(String, JournalLine)] = [
        (header, .header(room: "/boards/lobby", epoch: "c0ffee")),
        (
            action,
            .entry(
                offset: 7,
                JournalRecord(
                    client: .ada, seq: 3, base: 5, settled: 2,
                    sender: Identity("ada", roles: ["owner", "admin"]),
                    time: Timestamp(secondsSince1970: 1_763_726_400.5), seed: .max,
                    actions: [
                        .init(type: "AddTea", payload: Array(#"{"by":2}"#.utf8)),
                        .init(type: "Wait", payload: Array("{}".utf8)),
                    ], rejection: nil, schema: 2))
        ),
        (
            rejected,
            .entry(
                offset: 8,
                JournalRecord(
                    client: "c", seq: 1, base: 0, settled: 0, sender: .anonymous,
                    time: Timestamp(secondsSince1970: 0), seed: 0, actions: [],
                    rejection: Rejection(.forbidden, "No.", detail: "Not \"you\".")))
        ),
        (
            refused,
            .entry(
                offset: 9,
                JournalRecord(
                    client: "c", seq: 2, base: 0, settled: 0, sender: .anonymous,
                    time: Timestamp(secondsSince1970: 0), seed: 0, actions: [],
                    rejection: Rejection(.unknownAction, "No."),
                    refused: RefusedAction(type: "Beer", payload: #"{"by": 1}"#)))
        ),
        (
            refusedEarlier,
            .entry(
                offset: 9,
                JournalRecord(
                    client: "c", seq: 2, base: 0, settled: 0, sender: .anonymous,
                    time: Timestamp(secondsSince1970: 0), seed: 0, actions: [],
                    rejection: Rejection(.unknownAction, "No."),
                    refused: RefusedAction(type: "Beer", beginning: #"{"by": 1}"#, bytes: 9)))
        ),
        (
            snapshot,
            .snapshot(
                JournalSnapshot(
                    offset: 8, version: 6, content: Array(#"{"format":1,"state":1}"#.utf8)))
        ),
    ]

    @Test(arguments: lines)
    func `lines are written and read as they are documented`(
        text: String, line: JournalLine
    ) throws {
        #expect(String(decoding: try line.bytes(), as: UTF8.self) == text + "\n")
        #expect(try JournalLine(ArraySlice(text.utf8)) == line)
        #expect(try JournalLine(ArraySlice((text + "\r").utf8)) == line)
    }

    @Test func `a payload may be left out, and what isn't known is passed over`() throws {
        let text =
            #"{"offset":1,"time":0,"sender":{"id":""},"client":"c","seq":1,"base":0,"settled":0,"#
            + #""seed":"0","schema":1,"actions":[{"type":"Wait"}],"note":"by hand"}"#
        guard case .entry(1, let record) = try JournalLine(ArraySlice(text.utf8)) else {
            Issue.record("It isn't an entry.")
            return
        }
        #expect(record.actions == [.init(type: "Wait", payload: Array("{}".utf8))])
    }

    @Test func `a payload with line breaks is written on one line`() throws {
        let record = JournalRecord(
            client: "c", seq: 1, base: 0, settled: 0, sender: .anonymous,
            time: Timestamp(secondsSince1970: 0), seed: 0,
            actions: [.init(type: "Wait", payload: Array("{\n  \"a\": 1\n}".utf8))],
            rejection: nil)
        let text = String(
            decoding: try JournalLine.entry(offset: 1, record).bytes(), as: UTF8.self)
        #expect(text.contains(#""payload":{"a":1}"#))
        #expect(text.filter { $0 == "\n" }.count == 1)
    }

    @Test(arguments: [
        (header, #""storecast""#, #""other""#, "This isn't a journal of storecast."),
        (header, #":1"#, ":2", "The format isn't 1, the only one that this reads."),
        (header, #""room""#, #""rooms""#, "The member 'room' isn't a string."),
        (
            action, #""offset":7"#, #""offset":0"#,
            "The member 'offset' isn't a whole number from 1 to 2^53-1."
        ),
        (
            action, #""seq":3"#, #""seq":0"#,
            "The member 'seq' isn't a whole number from 1 to 2^53-1."
        ),
        (
            action, #""settled":2"#, #""settled":9007199254740992"#,
            "The member 'settled' isn't a whole number from 0 to 2^53-1."
        ),
        (
            action, #""base":5"#, #""base":-1"#,
            "The member 'base' isn't a whole number from 0 to 2^53-1."
        ),
        (
            action, #""time":1763726400.5"#, #""time":"now""#,
            "The member 'time' isn't a number of seconds since 1970."
        ),
        (
            action, #""18446744073709551615""#, "5",
            "The member 'seed' isn't a string of digits."
        ),
        (action, #""schema":2"#, #""schema":0"#, "The member 'schema' isn't a number from 1."),
        (action, #""id":"ada""#, #""name":"ada""#, "The member 'sender' lacks an id."),
        (action, #""actions":["#, #""others":["#, "The member 'actions' isn't an array."),
        (action, #""type":"Wait""#, #""type":1"#, "The member 'type' isn't a string."),
        (
            rejected, #""title""#, #""titles""#, "The member 'rejection' lacks code or title."
        ),
        (
            snapshot, #""version":6"#, #""version":"6""#,
            "The member 'version' isn't a whole number from 0 to 2^53-1."
        ),
        (action, "}", "", "The text is not JSON: unexpected input at byte 259."),
    ])
    func `what is wrong with a line is said`(
        text: String, part: String, replacement: String, problem: String
    ) throws {
        let range = try #require(text.ranges(of: part).last)
        var wrong = text
        wrong.replaceSubrange(range, with: replacement)
        let error = #expect(throws: JournalLineError.self) {
            try JournalLine(ArraySlice(wrong.utf8))
        }
        #expect(error?.description == problem)
    }
}
