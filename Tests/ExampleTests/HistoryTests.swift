@testable import Example
@testable import StorecastSync
import StorecastTesting
import Testing

/// What a board remembers of what was done.
struct HistoryTests {
    private var stage = CardActionTests.stage()

    private func events(_ id: String) -> [History.Event] {
        Board.history.evaluate(stage.board, id, .anonymous)?.events ?? []
    }

    private func event(
        _ what: History.Event.Kind, _ by: String, _ time: Double, _ to: String? = nil
    ) -> History.Event {
        History.Event(what: what, by: by, time: Timestamp(secondsSince1970: time), to: to)
    }

    @Test mutating func `a card's history says who did what, and when`() {
        #expect(events("1") == [])
        stage.act(MoveCard(card: "1", column: "doing"), as: "bob")
        stage.act(EditCard(card: "1", text: "uno"))
        stage.act(AssignCard(card: "1", assignee: "eve"), as: "")
        stage.act(AssignCard(card: "1", assignee: nil))
        stage.act(Vote(card: "1"), as: "eve")
        #expect(
            events("1") == [
                event(.moved, "bob", 5, "Doing"), event(.edited, "ada", 6),
                event(.assigned, "", 7, "eve"), event(.assigned, "ada", 8),
            ])
        #expect(events("2") == [])
    }

    @Test mutating func `what somebody does again and again is told once, with the last time`() {
        for text in ["u", "un", "uno"] { stage.act(EditCard(card: "1", text: text)) }
        stage.act(EditCard(card: "1", text: "due"), as: "bob")
        stage.act(EditCard(card: "1", text: "tre"))
        #expect(
            events("1") == [
                event(.edited, "ada", 7), event(.edited, "bob", 8), event(.edited, "ada", 9),
            ])
    }

    @Test mutating func `a history is no longer than its limit`() {
        for number in 1...(BoardLimits.events + 5) {
            stage.act(AssignCard(card: "1", assignee: "\(number)"))
        }
        #expect(events("1").count == BoardLimits.events)
        #expect(events("1").last?.to == "\(BoardLimits.events + 5)")
    }

    @Test mutating func `what is refused or changes nothing isn't in it`() {
        stage.act(EditCard(card: "gone", text: "x"))
        stage.act(MoveCard(card: "1", column: "gone"))
        stage.act(MoveCard(card: "gone", column: "done"))
        stage.act(RenameColumn(column: "gone", title: "x"))
        #expect(stage.board.histories.isEmpty)
    }

    @Test mutating func `a column's history goes with the column`() {
        stage.act(RenameColumn(column: "done", title: "Shipped"))
        stage.act(MoveColumn(column: "done", before: "todo"), as: "bob")
        #expect(events("done") == [event(.renamed, "ada", 5, "Shipped"), event(.moved, "bob", 6)])
        stage.act(RemoveColumn(column: "done"))
        #expect(events("done") == [])
    }

    /// Snapshots of that time have none, and a log that is reduced again has to lead there.
    @Test func `what was done before there were histories isn't in them`() throws {
        let replay = RoomReplay(Board.room)
        // The first 26 digits of base 32 (0–9, a–v) of Python's hashlib.sha256 of "client/1/0".
        let card = #""card":"k77s4gc64pkhcdr6ts8jng3fvj""#
        let move = #"{\#(card),"column":"done"}"#
        let old: [(String, String)] = [
            ("AddCard", #"{"column":"todo","text":"Buy tea."}"#),
            ("EditCard", #"{\#(card),"text":"Buy milk."}"#),
            ("AssignCard", #"{\#(card),"assignee":"bob"}"#), ("MoveCard", move),
            ("RenameColumn", #"{"column":"todo","title":"Later"}"#),
            ("MoveColumn", #"{"column":"todo"}"#),
        ]
        for (index, (type, payload)) in old.enumerated() {
            try CardTextTests.read(index + 1, type, payload, schema: 3, replay)
        }
        #expect(replay.state.cards.map(\.column) == ["done"])
        #expect(replay.state.columns.map(\.title) == ["Doing", "Done", "Later"])
        #expect(replay.state.histories.isEmpty)
        try CardTextTests.read(7, "MoveCard", move, schema: 4, replay)
        #expect(replay.state.histories.rows.map(\.events.count) == [1])
        let removal = RoomReplay(Board.room)
        try CardTextTests.read(1, "AddCard", old[0].1, schema: 3, removal)
        try CardTextTests.read(2, "RemoveCard", "{\(card)}", schema: 3, removal)
        #expect(removal.state.cards.isEmpty && removal.state.removed.isEmpty)
    }
}

/// Taking back what one has done oneself.
struct UndoTests {
    private var stage = CardActionTests.stage()

    @Test mutating func `a card that was removed comes back as it was, above its neighbour`() {
        stage.act(Vote(card: "2"), as: "bob")
        stage.act(AssignCard(card: "2", assignee: "eve"))
        let card = stage.card("2")
        stage.act(RemoveCard(card: "2"))
        #expect(stage.rejection(of: RestoreCard(card: "2")) == nil)
        stage.act(RestoreCard(card: "2", before: "3"), as: "bob")
        #expect(stage.ids("todo") == ["1", "2", "3"])
        #expect(stage.card("2") == card)
        #expect(stage.board.votes == 1 && stage.board.removed.isEmpty)
        #expect(stage.rejection(of: RestoreCard(card: "2"))?.code == .conflict)
        let before = stage.board
        stage.act(RestoreCard(card: "2"))
        #expect(stage.board == before)
    }

    @Test mutating func `a card comes back only to a column that is there, and has room`() {
        stage.act(RemoveCard(card: "4"))
        stage.act(RemoveColumn(column: "doing"))
        #expect(stage.rejection(of: RestoreCard(card: "4"))?.code == .conflict)
        let before = stage.board
        stage.act(RestoreCard(card: "4"))
        stage.act(RestoreCard(card: "never"))
        #expect(stage.board == before)
        #expect(stage.rejection(of: RestoreCard(card: "never"))?.code == .conflict)
    }

    @Test mutating func `the cards that were removed last are kept, with their histories`() {
        for number in 0...BoardLimits.removed {
            stage.act(AddCard(column: "done", text: "\(number)"))
            let id = stage.ids("done")[0]
            stage.act(RemoveCard(card: id))
        }
        #expect(stage.board.removed.count == BoardLimits.removed)
        #expect(stage.board.histories.count == BoardLimits.removed)
        #expect(stage.rejection(of: RestoreCard(card: "5"))?.code == .conflict)
        #expect(stage.rejection(of: RestoreCard(card: "7")) == nil)
    }

    @Test mutating func `a move is taken back unless somebody else has moved the card since`() {
        stage.act(MoveCard(card: "1", column: "done"))
        stage.act(EditCard(card: "1", text: "uno"), as: "bob")
        let undo = MoveCard(card: "1", column: "todo", before: "2", isUndo: true)
        #expect(stage.rejection(of: undo) == nil)
        #expect(stage.rejection(of: undo, as: "bob")?.code == .conflict)
        var others = stage
        others.act(MoveCard(card: "1", column: "doing"), as: "bob")
        #expect(others.rejection(of: undo)?.title == "Somebody else has moved it since.")
        let before = others.board
        others.act(undo)
        #expect(others.board == before)
        stage.act(undo)
        #expect(stage.ids("todo") == ["1", "2", "3"])
    }

    @Test mutating func `so are an assignment, a column's title and its place`() {
        stage.act(AssignCard(card: "1", assignee: "eve"))
        stage.act(RenameColumn(column: "done", title: "Shipped"))
        stage.act(MoveColumn(column: "done", before: "todo"))
        let undos: [any SyncAction] = [
            AssignCard(card: "1", assignee: nil, isUndo: true),
            RenameColumn(column: "done", title: "Done", isUndo: true),
            MoveColumn(column: "done", isUndo: true),
        ]
        let before = stage.board
        for undo in undos {
            #expect(stage.rejection(of: undo, as: "bob")?.code == .conflict, "\(undo)")
            stage.act(undo, as: "bob")
            #expect(stage.board == before)
        }
        for undo in undos {
            #expect(stage.rejection(of: undo) == nil, "\(undo)")
            stage.act(undo)
        }
        #expect(stage.card("1")?.assignee == nil)
        #expect(stage.board.columns.map(\.title) == ["To do", "Doing", "Done"])
    }

    @Test mutating func `an added card is taken back unless somebody else had to do with it`() {
        let undo = RemoveCard(card: "1", isUndo: true)
        #expect(stage.rejection(of: undo, as: "bob")?.code == .conflict)
        #expect(stage.rejection(of: undo) == nil)
        stage.act(Vote(card: "1"))
        stage.act(EditCard(card: "1", text: "uno"))
        #expect(stage.rejection(of: undo) == nil)
        for action in [Vote(card: "1"), EditCard(card: "1", text: "due")] as [any SyncAction] {
            var others = stage
            others.act(action, as: "bob")
            #expect(others.rejection(of: undo)?.code == .conflict, "\(action)")
            let before = others.board
            others.act(undo)
            #expect(others.board == before)
        }
        stage.act(undo)
        #expect(stage.ids("todo") == ["2", "3"])
    }

    @Test mutating func `what is too long ago can't be taken back any more`() {
        stage.act(MoveCard(card: "1", column: "done"))
        for number in 1...BoardLimits.events {
            stage.act(AssignCard(card: "1", assignee: "\(number)"), as: "bob")
        }
        let undo = MoveCard(card: "1", column: "todo", isUndo: true)
        #expect(stage.rejection(of: undo)?.title == "Too much has happened since.")
    }

    @Test func `who takes back an edit leaves what others wrote in it`() throws {
        var stage = Stage()
        stage.act(AddCard(column: "todo", text: "Buy tea."))
        let opened = try #require(stage.card("1"))
        let mine = try #require(opened.sharedText.edit(by: "ada", to: "Buy tea, and milk."))
        var shown = opened.sharedText
        shown.apply(mine)
        // Made when the edit is, of what is shown then.
        let undo = try #require(shown.edit(by: "ada", to: "Buy tea."))
        let others = try #require(opened.sharedText.edit(by: "bob", to: "Please buy tea."))
        stage.act(EditCardText(card: "1", edit: others), as: "bob")
        stage.act(EditCardText(card: "1", edit: mine))
        #expect(stage.card("1")?.text == "Please buy tea, and milk.")
        stage.act(EditCardText(card: "1", edit: undo))
        #expect(stage.card("1")?.text == "Please buy tea.")
    }
}
