@testable import Example
@testable import StorecastSync
import Testing

struct CardActionTests {
    /// Cards 1, 2, 3 in `todo`, 4 in `doing`.
    static func stage() -> Stage {
        var stage = Stage()
        for text in ["one", "two", "three"] { stage.act(AddCard(column: "todo", text: text)) }
        stage.act(AddCard(column: "doing", text: "four"), as: "bob")
        return stage
    }

    @Test func `a new card goes to the bottom, with the server's id, sender and time`() {
        let stage = Self.stage()
        #expect(stage.ids("todo") == ["1", "2", "3"])
        #expect(
            stage.card("4")
                == Card(
                    id: "4", column: "doing", text: "four", author: "bob",
                    created: Timestamp(secondsSince1970: 4)))
    }

    @Test func `a new card goes above the one that it names`() {
        var stage = Self.stage()
        stage.act(AddCard(column: "todo", text: "five", before: "2"))
        #expect(stage.ids("todo") == ["1", "5", "2", "3"])
    }

    @Test func `a new card goes to the bottom when the one it names is elsewhere`() {
        var stage = Self.stage()
        stage.act(AddCard(column: "todo", text: "five", before: "4"))
        #expect(stage.ids("todo") == ["1", "2", "3", "5"])
    }

    @Test(
        arguments: [
            ("3", "1", ["3", "1", "2"]), ("1", "3", ["2", "1", "3"]), ("1", nil, ["2", "3", "1"]),
            ("2", "2", ["1", "2", "3"]), ("1", "gone", ["2", "3", "1"]),
        ] as [(String, String?, [String])])
    func `a card moves within its column`(card: String, before: String?, order: [String]) {
        var stage = Self.stage()
        stage.act(MoveCard(card: card, column: "todo", before: before))
        #expect(stage.ids("todo") == order)
    }

    @Test func `a card moves to another column, above the one that it names`() {
        var stage = Self.stage()
        stage.act(MoveCard(card: "2", column: "doing", before: "4"))
        #expect(stage.ids("todo") == ["1", "3"])
        #expect(stage.ids("doing") == ["2", "4"])
    }

    @Test func `two who move a card at once: the later move counts, and the card stays one`() {
        var stage = Self.stage()
        stage.act(MoveCard(card: "1", column: "doing"), as: "ada")
        stage.act(MoveCard(card: "1", column: "done"), as: "bob")
        #expect(stage.ids("todo") == ["2", "3"])
        #expect(stage.ids("doing") == ["4"])
        #expect(stage.ids("done") == ["1"])
    }

    @Test func `what is done to a card that is gone is a conflict and changes nothing`() {
        var stage = Self.stage()
        stage.act(Vote(card: "2"))
        stage.act(RemoveCard(card: "2"))
        let before = stage.board
        let late: [any SyncAction] = [
            MoveCard(card: "2", column: "done"), EditCard(card: "2", text: "new"),
            EditCardText(card: "2", edit: SharedText("two").edit(by: "a", to: "new")!),
            AssignCard(card: "2", assignee: "bob"), Vote(card: "2"), Unvote(card: "2"),
            RemoveCard(card: "2"),
        ]
        for action in late {
            #expect(stage.rejection(of: action)?.code == .conflict, "\(action)")
            stage.act(action)
        }
        #expect(stage.board == before)
    }

    @Test func `a card can't go to a column that is gone`() {
        var stage = Self.stage()
        stage.act(RemoveColumn(column: "done"))
        let before = stage.board
        for action in [
            MoveCard(card: "1", column: "done"), AddCard(column: "done", text: "x"),
        ] as [any SyncAction] {
            #expect(stage.rejection(of: action)?.code == .conflict)
            stage.act(action)
        }
        #expect(stage.board == before)
    }

    @Test func `a card can be edited and assigned, to nobody too`() {
        var stage = Self.stage()
        stage.act(EditCard(card: "1", text: "uno"))
        stage.act(AssignCard(card: "1", assignee: "bob"))
        #expect(stage.card("1")?.text == "uno")
        #expect(stage.card("1")?.assignee == "bob")
        stage.act(AssignCard(card: "1", assignee: nil))
        #expect(stage.card("1")?.assignee == nil)
    }

    @Test func `everyone has one vote for a card`() {
        var stage = Self.stage()
        for user in ["ada", "bob", "ada", "", ""] { stage.act(Vote(card: "1"), as: user) }
        #expect(stage.card("1")?.voters == ["ada", "bob", ""])
        stage.act(Unvote(card: "1"), as: "ada")
        stage.act(Unvote(card: "1"), as: "carol")
        #expect(stage.card("1")?.voters == ["bob", ""])
    }

    @Test func `who only looks like a voter has a vote of their own`() {
        var stage = Self.stage()
        for user in ["\u{e9}", "e\u{301}"] { stage.act(Vote(card: "1"), as: user) }
        #expect(stage.card("1")?.voters.count == 2)
        stage.act(Unvote(card: "1"), as: "e\u{301}")
        #expect(stage.card("1")?.voters.map { Array($0.utf8) } == [Array("\u{e9}".utf8)])
    }

    @Test func `a full column takes no card, but lets its own move`() {
        var stage = Stage()
        for _ in 0..<BoardLimits.cardsPerColumn { stage.act(AddCard(column: "todo", text: "x")) }
        stage.act(AddCard(column: "done", text: "y"))
        let other = stage.ids("done")[0]
        #expect(stage.rejection(of: AddCard(column: "todo", text: "x"))?.code == .conflict)
        #expect(stage.rejection(of: MoveCard(card: other, column: "todo"))?.code == .conflict)
        #expect(stage.rejection(of: MoveCard(card: "1", column: "todo")) == nil)
        #expect(stage.rejection(of: MoveCard(card: "1", column: "done")) == nil)
    }
}
