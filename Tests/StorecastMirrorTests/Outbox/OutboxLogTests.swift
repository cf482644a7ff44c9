import StorecastSync
import TestSupport
import Testing

@testable import StorecastMirror

struct OutboxLogTests {
    /// The checksums are those of zlib's `crc32`.
    private static let lines: [(record: OutboxRecord, line: String)] = [
        (
            .opened(client: .ada, room: "/lobby", opening: 3),
            """
            5f73a748 {"op":"opened","version":1,"client":"ada-0123456789abcdef","room":"/lobby",\
            "opening":3}
            """
        ),
        (.settled(1), #"c64e078b {"op":"settled","seq":1}"#),
        (
            .dispatched(seq: 2, base: 7, type: "Write", payload: Array(#"{"text":"tea"}"#.utf8)),
            """
            96befde2 {"op":"dispatch","seq":2,"base":7,\
            "action":{"type":"Write","payload":{"text":"tea"}}}
            """
        ),
        (
            .dispatched(seq: 3, base: 7, type: "Wait", payload: []),
            #"d7d3f8b7 {"op":"dispatch","seq":3,"base":7,"action":{"type":"Wait"}}"#
        ),
        (.ended(2), #"c5c156c0 {"op":"ended","seq":2}"#),
    ]

    private var text: String { Self.lines.map { $0.line + "\n" }.joined() }

    @Test func `the checksum is that of gzip`() {
        // The check value of CRC-32/ISO-HDLC in the catalogue of parametrised CRC algorithms.
        #expect(CRC32.checksum(of: "123456789".utf8) == 0xCBF4_3926)
        #expect(CRC32.checksum(of: "".utf8) == 0)
    }

    @Test func `a line for each record, each with its checksum`() {
        var log = OutboxLog()
        for (record, _) in Self.lines { log.append(record) }
        #expect(String(decoding: log.text, as: UTF8.self) == text)
    }

    @Test func `what was written is read`() {
        let (records, isWhole) = OutboxLog.read(Array(text.utf8))
        #expect(records == Self.lines.map(\.record))
        #expect(isWhole)
    }

    @Test func `a log that is torn at any byte ends before the torn line`() {
        let bytes = Array(text.utf8)
        for end in 0...bytes.count {
            let (records, isWhole) = OutboxLog.read(Array(bytes[..<end]))
            let whole = bytes[..<end].count { $0 == UInt8(ascii: "\n") }
            #expect(records == Self.lines.prefix(whole).map(\.record))
            #expect(isWhole == (end == 0 || bytes[end - 1] == UInt8(ascii: "\n")))
        }
    }

    @Test func `a line in which any byte is another ends the log`() {
        let bytes = Array(text.utf8)
        for place in bytes.indices {
            var damaged = bytes
            damaged[place] ^= 1
            let (records, isWhole) = OutboxLog.read(damaged)
            let before = bytes[..<place].count { $0 == UInt8(ascii: "\n") }
            #expect(records == Self.lines.prefix(before).map(\.record))
            #expect(!isWhole)
        }
    }

    @Test(arguments: [
        #"3c4e0ec8 {"op":"later","seq":1}"#, #"13ccc1b7 {"op":"settled"}"#, "", "x",
        #"00000000 {"op":"settled","seq":1}"#, #"c64e078b{"op":"settled","seq":1}"#,
    ])
    func `what is no record ends the log`(_ line: String) {
        let (records, isWhole) = OutboxLog.read(
            Array((Self.lines[0].line + "\n" + line + "\n").utf8))
        #expect(records.count == 1)
        #expect(!isWhole)
    }
}
