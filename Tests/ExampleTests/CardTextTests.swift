@testable import Example
@testable import StorecastSync
import StorecastTesting
import Testing

/// Several people in the text of one card.
struct CardTextTests {
    private var stage = Stage()
    private var card: Card { stage.card("1")! }

    init() {
        stage.act(AddCard(column: "todo", text: "Buy tea."))
    }

    @Test mutating func `two who edit a card at once both have what they wrote`() {
        let opened = card
        stage.act(edit(opened, by: "ada", to: "Buy tea, and milk."))
        stage.act(edit(opened, by: "bob", to: "Please buy tea."))
        #expect(card.text == "Please buy tea, and milk.")
    }

    @Test mutating func `so does who edits what an older client replaces meanwhile`() {
        let opened = card
        stage.act(EditCard(card: "1", text: "Buy tea today."))
        #expect(card.text == "Buy tea today.")
        stage.act(edit(opened, by: "bob", to: "Please buy tea."))
        #expect(card.text == "Please buy tea today.")
        stage.act(EditCard(card: "1", text: "No."))
        #expect(card.text == "No.")
    }

    @Test mutating func `what can't be a card's text is rejected, and changes nothing`() {
        let opened = card
        let long = String(repeating: "x", count: BoardLimits.text - 8)
        stage.act(edit(opened, by: "ada", to: "Buy tea." + long))
        #expect(card.text.count == BoardLimits.text)
        let before = stage.board
        let seen = card.sharedText.version(for: "bob")
        let refused: [(EditCardText, Rejection.Code)] = [
            (edit(opened, by: "bob", to: "Please buy tea."), .conflict),
            (edit(card, by: "bob", to: " "), .conflict),
            (edit(card, by: "bob", to: "Tea\u{1B}"), .invalid),
            (EditCardText(card: "1", edit: TextEdit(version: seen, changes: [])), .invalid),
        ]
        for (action, code) in refused {
            #expect(stage.rejection(of: action)?.code == code, "\(action)")
            stage.act(action)
        }
        #expect(stage.board == before)
    }

    @Test mutating func `a card remembers so much, and who was away longer is told`() {
        let opened = card
        var number = 0
        while stage.rejection(of: edit(opened, by: "eve", to: "Buy coffee.")) == nil, number < 500 {
            number += 1
            stage.act(edit(card, by: number.isMultiple(of: 2) ? "ada" : "bob", to: "\(number)"))
        }
        #expect((50..<500).contains(number))
        #expect(stage.rejection(of: edit(opened, by: "eve", to: "Buy coffee."))?.code == .conflict)
        #expect(card.text == "\(number)")
    }

    /// A snapshot of that time has no edits, and a log that is reduced again has to lead there.
    @Test func `edits from before texts were shared aren't counted`() throws {
        let replay = RoomReplay(Board.room)
        // The first 26 digits of base 32 (0–9, a–v) of Python's hashlib.sha256 of "client/1/0".
        let id = "k77s4gc64pkhcdr6ts8jng3fvj"
        let milk = #"{"card":"\#(id)","text":"Buy milk."}"#
        try Self.read(1, "AddCard", #"{"column":"todo","text":"Buy tea."}"#, schema: 2, replay)
        try Self.read(2, "EditCard", milk, schema: 2, replay)
        #expect(replay.state.cards.map(\.text) == ["Buy milk."])
        #expect(replay.state.cards.map(\.edited) == [nil])
        try Self.read(3, "EditCard", milk, schema: 3, replay)
        #expect(replay.state.cards.map(\.edited) == [nil])
        try Self.read(
            4, "EditCard", #"{"card":"\#(id)","text":"Buy oat milk."}"#, schema: 3, replay)
        #expect(replay.state.cards.map(\.edited?.text) == ["Buy oat milk."])
    }

    /// Reduces a journal's next entry.
    static func read(
        _ number: Int, _ type: String, _ payload: String, schema: Int, _ replay: RoomReplay<Board>
    ) throws {
        try replay.read(
            #"""
            {"journal":"storecast","format":1,"room":"/","epoch":"c0ffee5b1d0a4f7e9b3c2a1d5e6f7081"}
            {"offset":\#(number),"time":1763726400,"sender":{"id":"ada"},\#
            "client":"6f1d3a5c9b7e42d08a4c1e6b5f927d30","seq":\#(number),"base":0,"settled":0,\#
            "seed":"1","schema":\#(schema),"actions":[{"type":"\#(type)","payload":\#(payload)}]}
            """#)
    }
}

/// The same from clients.
@Suite(.timeLimit(.minutes(30)))
@MainActor struct CardTextRoomTests {
    @Test func `two clients that were offline agree on the text`() async {
        let room = TestRoom(Board.room)
        let (ada, bob) = (room.connect(as: Identity("ada")), room.connect(as: Identity("bob")))
        let todo = ColumnPart(column: "todo")
        let reducer = Board.reducer(ofColumn: "todo")
        let adas = RemoteStore(Board.column, todo, on: ada, optimistic: reducer)
        let bobs = RemoteStore(Board.column, todo, on: bob, optimistic: reducer)
        adas.dispatch(AddCard(column: "todo", text: "Buy tea."))
        await room.settle()
        func write(_ text: String, in store: RemoteStore<RowPage<Card>>) {
            let card = store.state!.rows[0]
            store.dispatch(edit(card, by: store.connection.participant, to: text))
        }
        room.goOffline(ada)
        room.goOffline(bob)
        write("Buy tea, and milk.", in: adas)
        write("Buy tea, and oat milk.", in: adas)
        write("Please buy tea.", in: bobs)
        #expect(adas.state?.rows.map(\.text) == ["Buy tea, and oat milk."])
        room.goOnline(bob)
        room.goOnline(ada)
        await room.advance(by: .seconds(30))
        #expect(adas.state?.rows.map(\.text) == ["Please buy tea, and oat milk."])
        #expect(bobs.state == adas.state)
    }
}

/// What makes `text` of a card as somebody sees it.
private func edit(_ card: Card, by editor: String, to text: String) -> EditCardText {
    EditCardText(card: card.id, edit: card.sharedText.edit(by: editor, to: text)!)
}
