import Observation
import Storecast
import StorecastObservation
import StorecastTables
import Testing

@Suite(.timeLimit(.minutes(30)))
struct ObservedRowsTests {
    struct Card: Identifiable, Equatable {
        var id: String
        var title = ""
    }

    struct Board {
        var cards = Table<Card>()
        var column = OrderedTable<Card>()
    }

    struct Edit: Action {
        let edit: (inout Board) -> Void
        init(_ edit: @escaping (inout Board) -> Void) { self.edit = edit }
    }

    private func makeStore() -> Store<Board> {
        let cards = ["a", "b", "c"].map { Card(id: $0) }
        return Store(state: Board(cards: Table(cards), column: OrderedTable(cards))) {
            board, action in (action as? Edit)?.edit(&board)
        }
    }

    /// Whether something that `read` reads was changed by an action.
    private func isObserved(
        _ store: Store<Board>, _ edit: @escaping (inout Board) -> Void, by read: () -> Void
    ) -> Bool {
        // Observation calls back at once, on this thread, which the compiler can't know.
        nonisolated(unsafe) var isRaised = false
        withObservationTracking(read) { isRaised = true }
        store.dispatch(Edit(edit))
        return isRaised
    }

    @Test func `who reads a row hears of that row only`() {
        let store = makeStore()
        let cards = store.observedRows(of: \.cards)
        let read = { _ = cards["a"] }
        #expect(!isObserved(store, { $0.cards[id: "b"]?.title = "1" }, by: read))
        #expect(isObserved(store, { $0.cards[id: "a"]?.title = "1" }, by: read))
        #expect(cards["a"]?.title == "1")
        #expect(!isObserved(store, { $0.cards[id: "a"]?.title = "1" }, by: read))
        #expect(isObserved(store, { $0.cards[id: "a"] = nil }, by: read))
        #expect(cards["a"] == nil)
        #expect(isObserved(store, { $0.cards[id: "a"] = Card(id: "a") }, by: read))
    }

    @Test func `who reads the ids hears when rows come, go and move, not when they change`() {
        let store = makeStore()
        let column = store.observedRows(of: \.column)
        let read = { _ = column.ids }
        #expect(column.ids == ["a", "b", "c"])
        #expect(!isObserved(store, { $0.column[id: "a"]?.title = "1" }, by: read))
        #expect(isObserved(store, { $0.column.move(id: "a", to: 2) }, by: read))
        #expect(column.ids == ["b", "c", "a"])
        #expect(isObserved(store, { $0.column.append(Card(id: "d")) }, by: read))
        #expect(isObserved(store, { $0.column.remove(id: "b") }, by: read))
        #expect(column.ids == ["c", "a", "d"])
        #expect(!isObserved(store, { $0.column.move(id: "a", to: 0) }) { _ = column["a"] })
        let cards = store.observedRows(of: \.cards)
        #expect(isObserved(store, { $0.cards.update(Card(id: "0")) }) { _ = cards.ids })
        #expect(cards.ids == ["0", "a", "b", "c"])
    }

    @Test func `several that read one row all hear of it`() {
        let store = makeStore()
        let cards = store.observedRows(of: \.cards)
        nonisolated(unsafe) var heard = 0
        for _ in 0..<3 {
            withObservationTracking {
                _ = cards["a"]
            } onChange: {
                heard += 1
            }
        }
        store.dispatch(Edit { $0.cards[id: "a"]?.title = "1" })
        #expect(heard == 3)
        store.dispatch(Edit { $0.cards[id: "a"]?.title = "2" })
        #expect(heard == 3)
    }

    @Test func `it dispatches, and keeps the store as long as it lives`() {
        var store: Store<Board>? = makeStore()
        weak let reference = store
        var cards = store?.observedRows(of: \.cards)
        store = nil
        cards?.dispatch(Edit { $0.cards[id: "a"]?.title = "1" })
        #expect(cards?["a"]?.title == "1")
        #expect(reference != nil)
        cards = nil
        #expect(reference == nil)
    }
}
