import StorecastSync
import Testing

@testable import StorecastNATS

/// What the messages of a room's log say.
struct LogMessageTests {
    /// The checksums are another program's: FNV-1a of 64 bits, as ``LogState`` says.
    @Test(arguments: [(false, 0x3DA0_AC57_70AD_989C), (true, 0xB49B_2591_C5F5_2A81)])
    func `a message's checksum has the flag of an import only where it is set`(
        isImport: Bool, checksum: UInt64
    ) {
        var state = LogState(beginningOf: "/a", epoch: "e", term: "t")
        #expect(state.checksum == 0x9B8D_10D3_27F5_DAFB)
        state.isImport = isImport
        #expect(state.adding(.entries, count: 2, Array("{}\n".utf8)).checksum == checksum)
    }

    @Test(arguments: [false, true])
    func `a message is read as it was written`(isImport: Bool) throws {
        var state = LogState(beginningOf: "/a", epoch: "e", term: "t")
        (state.head, state.floor, state.isImport) = (1, 1, isImport)
        let message = LogMessage(
            kind: .entries, state: state.adding(.entries, count: 2, [1]), count: 2,
            parts: LogMessage.Parts(first: 3, count: 4), payload: [1])
        let kept = JetStream.Kept(
            sequence: 9, subject: "a", headers: message.headers, payload: message.payload)
        var expected = message
        expected.state = message.state.numbered(9, count: 2)
        #expect(try LogMessage(kept) == expected)
    }

    @Test(arguments: ["/", "/a/B-9_", "/a b.c*>=%\u{e9}\u{0}\n", "e\u{301}", "\u{1F980}"])
    func `a subject is the room's of whose name it was made`(room: String) throws {
        let layout = JetStreamLayout()
        let found = try #require(layout.room(of: layout.subject(of: room)))
        #expect(found.isSameText(as: room))
        #expect(layout.room(of: layout.subject(of: room) + "x")?.isSameText(as: room) != true)
        #expect(layout.room(of: layout.place(of: room)) == nil)
    }

    @Test(arguments: ["", ".", "=", "=4", "=zz", "=+1", "=2f", "=FF", "=41", "a.", "*"])
    func `a subject that no room has isn't a room's`(token: String) {
        let layout = JetStreamLayout(streams: 1)
        #expect(layout.room(of: "storecast.rooms.0.\(token)") == nil)
        #expect(layout.room(of: "storecast.rooms.1.a") == nil)
        #expect(layout.room(of: "storecast.rooms.0.a") == "a")
    }
}
