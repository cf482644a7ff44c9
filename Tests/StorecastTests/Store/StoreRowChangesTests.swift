import Storecast
import StorecastTables
import Testing

@Suite(.timeLimit(.minutes(30)))
struct StoreRowChangesTests {
    struct Card: Identifiable, Equatable, Sendable {
        var id: Int
        var title = ""
    }

    struct Board {
        var cards = Table<Card>()
        var column = OrderedTable<Card>()
        var name = ""
    }

    struct Edit: Action {
        let edit: (inout Board) -> Void
        init(_ edit: @escaping (inout Board) -> Void) { self.edit = edit }
    }

    private func makeStore(_ cards: [Card] = []) -> Store<Board> {
        Store(state: Board(cards: Table(cards), column: OrderedTable(cards))) { board, action in
            (action as? Edit)?.edit(&board)
        }
    }

    @Test func `first come the rows that there are, then what changes`() async {
        let store = makeStore([Card(id: 1), Card(id: 2)])
        var changes = store.changes(of: \.cards).makeAsyncIterator()
        #expect(await changes.next()?.map(\.id) == [1, 2])
        store.dispatch(Edit { $0.name = "nothing of the table" })
        store.dispatch(Edit { $0.cards[id: 2]?.title = "b" })
        let change = await changes.next()
        #expect(change?.map(\.id) == [2])
        #expect(change?.first?.old?.title == "")
        #expect(change?.first?.new?.title == "b")
    }

    @Test func `a slow reader gets several changes as one, and none that was undone`() async {
        let store = makeStore()
        var changes = store.changes(of: \.cards, since: store.state.cards).makeAsyncIterator()
        for id in 1...5 { store.dispatch(Edit { $0.cards.update(Card(id: id)) }) }
        store.dispatch(Edit { $0.cards.remove(id: 3) })
        #expect(await changes.next()?.map(\.id) == [1, 2, 4, 5])
    }

    @Test func `rows of an ordered table move`() async {
        let store = makeStore([Card(id: 1), Card(id: 2)])
        let column = store.state.column
        var changes = store.changes(of: \.column, since: column).makeAsyncIterator()
        store.dispatch(Edit { $0.column.move(id: 2, to: 0) })
        let change = await changes.next()
        #expect(change?.map(\.id) == [2])
        #expect(change?.first?.isMove == true)
    }

    @Test func `whoever applies all changes has the table, and it ends with the store`() async {
        var store: Store<Board>? = makeStore((0..<20).map { Card(id: $0) })
        let changes = store?.changes(of: \.cards)
        let reader = Task {
            var table = Table<Card>()
            guard let changes else { return table }
            for await change in changes {
                for change in change { table[id: change.id] = change.new }
            }
            return table
        }
        var random = SplitMix(state: 7)
        for step in 0..<200 {
            let id = random.next(below: 30)
            store?.dispatch(
                Edit { board in
                    board.cards[id: id] = step % 3 == 0 ? nil : Card(id: id, title: "\(step)")
                })
            if step % 20 == 0 { await Task.yield() }
        }
        let last = store?.state.cards
        store = nil
        #expect(await reader.value == last)
    }
}
