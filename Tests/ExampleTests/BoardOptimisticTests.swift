@testable import Example
import StorecastSync
import Testing

struct BoardOptimisticTests {
    private let reduce = Board.reducer(ofColumn: "todo")
    private var cards: [Card] = []

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
        reduce(&cards, action)
    }

    @Test mutating func `a card is added, edited, voted for, moved and removed in its column`() {
        act(AddCard(column: "todo", text: "three", before: "two"), id: "three")
        #expect(cards.map(\.id) == ["one", "three", "two"])
        act(EditCard(card: "three", text: "3"))
        act(Vote(card: "three"))
        #expect(cards[1].text == "3")
        #expect(cards[1].voters == ["ada"])
        act(MoveCard(card: "three", column: "todo"))
        #expect(cards.map(\.id) == ["one", "two", "three"])
        act(RemoveCard(card: "one"))
        #expect(cards.map(\.id) == ["two", "three"])
    }

    @Test mutating func `what concerns other columns waits for the server`() {
        let before = cards
        act(AddCard(column: "doing", text: "three"), id: "three")
        act(MoveCard(card: "one", column: "doing"))
        act(MoveCard(card: "elsewhere", column: "todo"))
        act(RenameColumn(column: "todo", title: "Later"))
        act(Say(text: "Hi"))
        #expect(cards == before)
    }
}
