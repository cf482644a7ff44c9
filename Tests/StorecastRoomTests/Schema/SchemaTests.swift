@testable import StorecastRoom
import Testing

/// A room whose actions and state have changed since its journal was begun.
struct SchemaTests {
    /// The first version had lists of names; then each got a colour, and a count beside them.
    struct Deck: Codable, Equatable {
        struct Card: Codable, Equatable {
            var name: String
            var color = "white"
        }

        struct Rules: Codable, Equatable {
            var limit = 10
            var title: String?
        }

        var cards: [Card] = []
        var added = 0
        var rules = Rules()
    }

    struct AddCard: SyncAction {
        var name: String
        var color: String
    }

    static let deck = RoomDefinition(
        state: Deck(), actions: [AddCard.self], selections: []
    ) { deck, action in
        guard let add = action as? AddCard else { return }
        deck.cards.append(Deck.Card(name: add.name, color: add.color))
        deck.added += 1
    }

    static let evolved =
        deck
        .upcast("Add", from: 1) { action in
            action.type = "Insert"
            action.payload = ["name": action.payload]
        }
        .upcast("Insert", from: 2) { action in
            action.type = "AddCard"
            action.payload["color"] = "red"
        }
        .upcastState(from: 1) { state in
            state = ["names": state, "added": .int(Int64(state.array?.count ?? 0))]
        }
        .upcastState(from: 2) { state in
            let names = state["names"]?.array ?? []
            state["cards"] = .array(names.map { ["name": $0, "color": "red"] })
            state["names"] = nil
        }
        .retire("Shuffle")

    private func record(_ seq: UInt64, schema: Int, _ type: String, _ payload: String)
        -> JournalRecord
    {
        JournalRecord(
            client: .ada, seq: seq, base: seq - 1, settled: 0, sender: .anonymous,
            time: Timestamp(secondsSince1970: 0), seed: 0,
            actions: [.init(type: type, payload: Array(payload.utf8))], rejection: nil,
            schema: schema)
    }

    private func snapshot(schema: Int, version: UInt64, _ state: JSON) -> JournalSnapshot {
        let text = """
            {"format":1,"schema":\(schema),"version":\(version),"hash":"\(state.stateHash)",\
            "clients":{"horizon":0,"records":[]},"state":\(String(decoding: state.canonicalBytes, as: UTF8.self))}
            """
        return JournalSnapshot(offset: version, version: version, content: Array(text.utf8))
    }

    private let red = Deck.Card(name: "a", color: "red")

    @Test func `old actions pass every upcaster up to now, under the name they then have`() throws {
        let replay = RoomReplay(Self.evolved)
        try replay.reduce(record(1, schema: 1, "Add", #""a""#), at: 1)
        try replay.reduce(record(2, schema: 2, "Insert", #"{"name":"a"}"#), at: 2)
        try replay.reduce(record(3, schema: 3, "AddCard", #"{"name":"a","color":"red"}"#), at: 3)
        #expect(replay.state.cards == [red, red, red])
        #expect(replay.version == 3)
    }

    @Test func `a retired action counts as a dispatch that reduces nothing`() throws {
        let replay = RoomReplay(Self.evolved)
        let entry = try replay.reduce(record(1, schema: 3, "Shuffle", "{}"), at: 1)
        try replay.reduce(record(2, schema: 1, "Shuffle", "{}"), at: 2)
        #expect(entry.outcome == .reduced)
        #expect(replay.version == 2)
        #expect(replay.state == Deck())
    }

    @Test func `old states pass every upcaster up to now, and gain what new rooms have`() throws {
        for old in [
            snapshot(schema: 1, version: 1, ["a"]),
            snapshot(schema: 2, version: 1, ["names": ["a"], "added": 1]),
            snapshot(
                schema: 3, version: 1, ["cards": [["name": "a", "color": "red"]], "added": 1]),
            snapshot(
                schema: 3, version: 1,
                ["cards": [["name": "a", "color": "red"]], "added": 1, "rules": [:]]),
        ] {
            let replay = RoomReplay(Self.evolved)
            try replay.restore(old)
            #expect(replay.state == Deck(cards: [red], added: 1))
        }
    }

    @Test func `a member that is missing inside an array isn't made up`() {
        let replay = RoomReplay(Self.deck)
        #expect(throws: DecodingError.self) {
            try replay.restore(
                snapshot(
                    schema: 1, version: 1, ["cards": [["name": "a"]], "added": 1, "rules": [:]]))
        }
    }

    @Test func `what a later version wrote isn't read`() {
        let replay = RoomReplay(Self.evolved)
        let error = #expect(throws: JournalError.self) {
            try replay.reduce(record(1, schema: 4, "AddCard", "{}"), at: 1)
        }
        #expect("\(error.map { "\($0)" } ?? "")".contains("schema 4"))
        #expect(throws: SchemaError.self) {
            try replay.restore(snapshot(schema: 4, version: 1, [:]))
        }
    }

    @Test func `new entries carry the schema's version`() {
        let (loop, journal) = (TestLoop(), ArchiveJournal())
        let room = loop.open(Self.evolved, journal: journal)
        Wire.greeted(room, on: loop).dispatch(1, "AddCard", #"{"name":"a","color":"b"}"#)
        room.dispatch(AddCard(name: "a", color: "b"), DispatchOutcome())
        loop.endTurn()
        #expect(journal.entries.map(\.schema) == [3, 3])
    }

    @Test
    func `actions that nobody knows any more stop recovery and are named, counted and placed`() {
        let (loop, journal) = (TestLoop(), ArchiveJournal())
        journal.entries = (1...9).map { record($0, schema: 1, "Gone", "{}") }
        journal.entries += [
            record(10, schema: 3, "Shuffle", "{}"), record(11, schema: 3, "Moved", "{}"),
            record(12, schema: 3, "AddCard", #"{"name":7}"#),
        ]
        let room = loop.open(Self.evolved, journal: journal)
        #expect(room.position.version == 0)
        guard case .failed(.damaged(let problem)) = room.phase else {
            Issue.record("It opened: \(room.phase)")
            return
        }
        #expect(
            problem == """
                The journal holds actions that the room can't read: 'AddCard' 1 time (offset 12): \
                The action's payload can't be read. payload of 'AddCard': At /name: expected a \
                string, found a number.; 'Gone' 9 times (offset 1, 2, 3, 4, 5, …), which it doesn't \
                know; 'Moved' 1 time (offset 11), which it doesn't know. Bring the types back, or \
                say what became of them with the room definition's 'upcast' or 'retire'. Nothing \
                was changed.
                """)
        #expect(loop.reports.count == 1)
    }
}
