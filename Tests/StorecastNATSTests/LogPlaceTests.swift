import StorecastRoom
import StorecastSync
import StorecastTesting
import Testing

@testable import StorecastNATS

/// What a reader makes of the messages of a room's log.
struct LogPlaceTests {
    /// Messages as a writer of `/a` chains them, from the number 1 on.
    private struct Writer {
        private(set) var state = LogState(beginningOf: "/a", epoch: "e", term: "t")
        private(set) var messages: [LogMessage] = []

        mutating func add(
            _ kind: LogMessage.Kind, count: Int = 0, parts: LogMessage.Parts? = nil,
            _ payload: [UInt8] = []
        ) {
            state = state.adding(kind, count: count, payload)
                .numbered(UInt64(messages.count + 1), count: count)
            messages.append(
                LogMessage(
                    kind: kind, state: state, count: count, parts: parts, payload: payload))
        }

        /// So many entries in one message.
        mutating func note(_ count: UInt64) throws {
            add(.entries, count: Int(count), try LogPlaceTests.payload(count))
        }
    }

    private static func payload(_ count: UInt64) throws -> [UInt8] {
        try LogMessage.payload(try LogMessage.records(JournalSample.notes(count)))
    }

    private static let beginning = LogState(beginningOf: "/a", epoch: "e", term: "t")

    /// The offsets of the entries that are read behind `offset`, from the beginning of the log
    /// unless `first` says from which message on.
    private func read(
        _ messages: [LogMessage], after offset: UInt64 = 0, first: Int = 0
    ) throws(JournalError) -> [UInt64] {
        var place = LogPlace(after: offset)
        if first == 0 { place.last = Self.beginning }
        var entries: [(offset: UInt64, record: JournalRecord)] = []
        for message in messages[first...] { try place.take(message, &entries) }
        return entries.map(\.offset)
    }

    /// Reads them, which is to fail.
    private func expectDamaged(
        _ problem: String, _ messages: [LogMessage], after offset: UInt64 = 0, first: Int = 0
    ) {
        #expect(throws: JournalError.damaged(problem)) {
            try read(messages, after: offset, first: first)
        }
    }

    private func offset(_ message: UInt64, _ place: Int) -> UInt64 {
        LogOffset(message, place: place).value
    }

    @Test func `an offset is a message's number and a place in it`() {
        #expect(LogOffset.mostEntries == 65_535)
        #expect(LogOffset.ofBeginning == 1)
        #expect(LogOffset(3, place: 2).value == 196_610)
        #expect(LogOffset(196_610).sequence == 3)
        #expect(LogOffset(196_610).place == 2)
        #expect(LogPlace(after: 0).next == 1)
        #expect(LogPlace(after: 196_610).next == 3)
    }

    @Test func `of entries those are read that are behind an offset`() throws {
        var writer = Writer()
        writer.add(.term)
        try writer.note(2)
        writer.add(.floor)
        try writer.note(1)
        let all = [offset(2, 1), offset(2, 2), offset(4, 1)]
        #expect(try read(writer.messages) == all)
        #expect(try read(writer.messages, after: offset(2, 1)) == [offset(2, 2), offset(4, 1)])
        #expect(try read(writer.messages, after: offset(2, 2)) == [offset(4, 1)])
        #expect(try read(writer.messages, after: offset(4, 1)) == [])
        // As of an offset, without what is before it.
        #expect(try read(writer.messages, after: offset(2, 1), first: 1) == Array(all[1...]))
        #expect(try read(writer.messages, after: offset(2, 2), first: 1) == [offset(4, 1)])
    }

    @Test func `entries in parts are read with the parts directly before them`() throws {
        var writer = Writer()
        let text = try Self.payload(2)
        let (one, rest) = (Array(text[..<5]), Array(text[5...]))
        // Parts whose end never came, and others behind them.
        writer.add(.part, [1, 2, 3])
        writer.add(.term)
        writer.add(.part, one)
        writer.add(.entries, count: 2, parts: LogMessage.Parts(first: 3, count: 1), rest)
        try writer.note(1)
        let expected = [offset(4, 1), offset(4, 2), offset(5, 1)]
        #expect(try read(writer.messages) == expected)
        // Also with parts before them that aren't theirs, which no mark has ended.
        var other = Writer()
        other.add(.part, [1, 2, 3])
        other.add(.part, one)
        other.add(.entries, count: 2, parts: LogMessage.Parts(first: 2, count: 1), rest)
        #expect(try read(other.messages) == [offset(3, 1), offset(3, 2)])
    }

    @Test func `who begins with the end of parts goes back to the first, if it is wanted`() throws {
        var writer = Writer()
        writer.add(.part, [1])
        writer.add(.entries, count: 1, parts: LogMessage.Parts(first: 1, count: 1), [2])
        let end = writer.messages[1]
        #expect(LogPlace(after: 0).missingPart(of: end) == 1)
        #expect(LogPlace(after: offset(2, 1)).missingPart(of: end) == nil, "It isn't wanted.")
        var place = LogPlace(after: 0)
        place.parts = [[1]]
        #expect(place.missingPart(of: end) == nil, "It is there.")
        place = LogPlace(after: 0)
        place.last = Self.beginning
        #expect(place.missingPart(of: end) == nil, "Something is missing then.")
        #expect(LogPlace(after: 0).missingPart(of: writer.messages[0]) == nil)
    }

    @Test func `what isn't as it was written is damaged`() throws {
        var writer = Writer()
        writer.add(.term)
        try writer.note(1)
        try writer.note(1)
        let messages = writer.messages
        let problem = "isn't what was written, or not what was written behind the message 1."
        // One is missing between others.
        expectDamaged("The message 3 \(problem)", [messages[0], messages[2]])
        let changes: [(inout LogMessage) -> Void] = [
            { $0.payload[0] ^= 1 }, { $0.kind = .term }, { $0.count += 1 }, { $0.state.floor = 1 },
            { $0.state.term = "u" }, { $0.state.epoch = "f" }, { $0.state.checksum ^= 1 },
            { $0.state.isImport = true },
        ]
        for change in changes {
            var changed = messages
            change(&changed[1])
            expectDamaged("The message 2 \(problem)", changed)
        }
        // The first that comes isn't the one with the offset, nor directly behind the beginning.
        expectDamaged(
            "The message 2 isn't there any more.", messages, after: offset(2, 1), first: 2)
        expectDamaged("The message 1 isn't there any more.", messages, after: 1, first: 1)
    }

    @Test func `entries that lack something are damaged`() throws {
        var parts = Writer()
        parts.add(.part, [1])
        parts.add(.term)
        parts.add(.entries, count: 1, parts: LogMessage.Parts(first: 1, count: 1), [2])
        expectDamaged("The message 3 lacks parts.", parts.messages)
        #expect(try read(parts.messages, after: offset(3, 1)) == [], "Nobody wants them.")
        var entries = Writer()
        entries.add(.entries, count: 2, try Self.payload(1))
        expectDamaged("The message 1 lacks entries.", entries.messages)
    }

    @Test func `lines are entries in their order, and nothing else`() throws {
        let text = try Self.payload(2)
        let read = try LogMessage.entries(text, at: 7)
        #expect(read.map(\.offset) == [offset(7, 1), offset(7, 2)])
        let lines = text.split(separator: UInt8(ascii: "\n")).map { Array($0) + [10] }
        for wrong in [lines[1], lines[0] + lines[0], Array("{}\n".utf8)] {
            let error = #expect(throws: JournalError.self) {
                _ = try LogMessage.entries(wrong, at: 7)
            }
            #expect(error?.description.hasPrefix("The message 7 can't be read: ") == true)
        }
    }

    private static let headers: [String: String?] = [
        "Storecast-Kind": "entries", "Storecast-Epoch": "e", "Storecast-Term": "t",
        "Storecast-Head": "1", "Storecast-Floor": "0", "Storecast-Count": "1",
        "Storecast-Checksum": "ff",
    ]

    private func message(_ changes: [String: String?]) throws(JournalError) -> LogMessage {
        var headers = NATSHeaders()
        for (name, value) in Self.headers.merging(changes, uniquingKeysWith: { $1 }) {
            if let value { headers.add(name, value) }
        }
        return try LogMessage(
            JetStream.Kept(sequence: 9, subject: "s", headers: headers, payload: []))
    }

    @Test func `a message is read by its headers`() throws {
        let plain = try message([:])
        #expect(plain.kind == .entries && plain.count == 1 && plain.parts == nil)
        #expect(plain.state.checksum == 255 && !plain.state.isImport)
        #expect(plain.state.head == offset(9, 1), "It ends with its own entry.")
        #expect(try message(["Storecast-Count": "0"]).state.head == 1)
        #expect(try message(["Storecast-Count": "65535"]).count == 65_535)
        #expect(try message(["Storecast-Import": "1"]).state.isImport)
        let parts: [String: String?] = ["Storecast-Parts": "2", "Storecast-First-Part": "4"]
        #expect(try message(parts).parts == LogMessage.Parts(first: 4, count: 2))
        for alone in parts { #expect(try message([alone.key: alone.value]).parts == nil) }
    }

    @Test func `a message that isn't ours is damaged`() {
        let expected = JournalError.damaged("The message 9 of 's' isn't ours.")
        for name in Self.headers.keys {
            #expect(throws: expected, "without \(name)") { try message([name: String?.none]) }
        }
        for (name, value) in [
            ("Kind", "other"), ("Epoch", "\u{e9}"), ("Term", "\u{e9}"), ("Head", "-1"),
            ("Floor", "x"), ("Count", "65536"), ("Checksum", "0g"),
        ] {
            #expect(throws: expected, "\(name): \(value)") {
                try message(["Storecast-\(name)": value])
            }
        }
    }

    @Test func `an entry that can't be kept is named by its place`() throws {
        var entries = JournalSample.notes(3)
        entries[2].actions = [Unencodable()]
        let error = #expect(throws: JournalError.self) { try LogMessage.records(entries) }
        guard case .unfit(place: 2, let text) = error else {
            Issue.record("It says \(error as Any).")
            return
        }
        #expect(!text.isEmpty)
    }

    private struct Unencodable: SyncAction {
        struct Refusal: Error {}

        init() {}
        init(from decoder: any Decoder) throws { throw Refusal() }
        func encode(to encoder: any Encoder) throws { throw Refusal() }
    }

    /// Servers of other versions look under these names: they stay what they are.
    @Test func `everything at NATS has a name of its own`() {
        let layout = JetStreamLayout(name: "shop", streams: 4)
        #expect(
            layout.allStreams == [
                "shop-places", "shop-snapshots", "shop-rooms-0", "shop-rooms-1", "shop-rooms-2",
                "shop-rooms-3",
            ])
        // The numbers are another program's: FNV-1a of 64 bits.
        for (room, number, token) in [
            ("/", 2, "/"), ("/a b", 3, "/a=20b"), ("/\u{e9}", 2, "/=C3=A9"), ("/a", 1, "/a"),
        ] {
            #expect(layout.stream(of: room) == "shop-rooms-\(number)")
            #expect(layout.subject(of: room) == "shop.rooms.\(number).\(token)")
            #expect(layout.place(of: room) == "shop.places.\(token)")
            #expect(layout.manifests(of: room) == "shop.snapshots.\(token).at.")
            #expect(layout.pieces(of: room, "p") == "shop.snapshots.\(token).of.p")
            #expect(layout.snapshots(of: room) == "shop.snapshots.\(token).>")
        }
        #expect(layout.subjects(3) == "shop.rooms.3.*")
        #expect(layout.snapshotSubjects == "shop.snapshots.>")
        #expect(layout.placeSubjects == "shop.places.*")
        #expect(layout.pulses == "shop.pulses")
        #expect(layout.requests(to: "a.b") == "shop.requests.a=2Eb")
        #expect(layout.nothing == "shop.nothing")
        let usual = JetStreamLayout()
        #expect(usual.name == "storecast" && usual.streams == 32 && usual.replicas == 3)
        #expect(usual.mostBytes == 1 << 20)
    }
}
