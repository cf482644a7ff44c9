@testable import Example
import StorecastSync
import Testing

struct BoardOptimisticTests {
    private let reduce = Board.reducer(ofColumn: "todo")
    private var page = RowPage<Card>(
        rows: [], count: nil, start: nil, end: nil, hasBefore: false, hasAfter: false)
    private var ids: [String] { page.rows.map(\.id) }

    init() {
        for text in ["one", "two"] { act(AddCard(column: "todo", text: text), id: text) }
    }

    private mutating func act(_ action: some SyncAction, id: String = "") {
        var action: any SyncAction = action
        if var stamped = action as? any Stamped {
            stamped.stamp.id = id
            stamped.stamp.sender = Identity("ada")
            action = stamped
        }
        reduce(&page, action)
    }

    @Test mutating func `a card is added, edited, voted for, moved and removed in its column`() {
        act(AddCard(column: "todo", text: "three", before: "two"), id: "three")
        #expect(ids == ["one", "three", "two"])
        act(EditCard(card: "three", text: "3"))
        act(Vote(card: "three"))
        #expect(page.rows[1].text == "3")
        #expect(page.rows[1].voters == ["ada"])
        act(EditCardText(card: "three", edit: page.rows[1].sharedText.edit(by: "a", to: "3 of 3")!))
        #expect(page.rows[1].text == "3 of 3")
        act(MoveCard(card: "three", column: "todo"))
        #expect(ids == ["one", "two", "three"])
        act(RemoveCard(card: "one"))
        #expect(ids == ["two", "three"])
    }

    @Test mutating func `what concerns other columns waits for the server`() {
        let before = page
        act(AddCard(column: "doing", text: "three"), id: "three")
        act(MoveCard(card: "one", column: "doing"))
        act(MoveCard(card: "elsewhere", column: "todo"))
        act(RenameColumn(column: "todo", title: "Later"))
        act(Say(text: "Hi"))
        #expect(page == before)
    }

    @Test mutating func `where not all cards are known, one that goes below them isn't shown`() {
        page.hasAfter = true
        act(AddCard(column: "todo", text: "below"), id: "below")
        #expect(ids == ["one", "two"])
        act(AddCard(column: "todo", text: "above an unknown", before: "x"), id: "there")
        #expect(ids == ["one", "two"])
        act(AddCard(column: "todo", text: "zero", before: "one"), id: "zero")
        #expect(ids == ["zero", "one", "two"])
        act(MoveCard(card: "one", column: "todo"))
        #expect(ids == ["zero", "two"])
        (page.hasAfter, page.hasBefore) = (false, true)
        act(MoveCard(card: "zero", column: "todo", before: "above"))
        #expect(ids == ["two"])
        act(AddCard(column: "todo", text: "three"), id: "three")
        #expect(ids == ["two", "three"])
        act(RemoveCard(card: "two"))
        #expect(ids == ["three"])
    }
}
