import Storecast
import StorecastTables
import Testing

struct RowSelectionTests {
    struct Card: Identifiable, Equatable, Sendable {
        @TaskLocal static var comparisons: Counter?
        var id: String
        var title = ""

        static func == (left: Card, right: Card) -> Bool {
            comparisons?.count += 1
            return left.id.utf8.elementsEqual(right.id.utf8) && left.title == right.title
        }
    }

    /// Used by one test at a time.
    final class Counter: @unchecked Sendable { var count = 0 }

    struct Board: Equatable {
        var name = ""
        var cards = Table<Card>()
        var column = OrderedTable<Card>()
    }

    enum Change: Action {
        case set(String, String)
        case remove(String)
        case insert(String, at: Int)
        case name(String)
        case reset([Card])
    }

    private func makeStore(_ cards: [Card] = []) -> Store<Board> {
        let board = Board(cards: Table(cards), column: OrderedTable(cards))
        return Store(state: board) { board, action in
            switch action as? Change {
            case .set(let id, let title):
                board.cards.update(Card(id: id, title: title))
                board.column[id: id] = Card(id: id, title: title)
            case .remove(let id):
                board.cards.remove(id: id)
                board.column.remove(id: id)
            case .insert(let id, let place):
                let card = board.column.remove(id: id) ?? Card(id: id)
                board.column.insert(card, at: min(place, board.column.count))
            case .name(let name): board.name = name
            case .reset(let cards):
                (board.cards, board.column) = (Table(cards), OrderedTable(cards))
            case nil: break
            }
        }
    }

    @Test func `a subscriber is told of its row: nil, new, changed, gone`() {
        let store = makeStore()
        let observer = Observer<Card?>()
        store.subscribe(observer) { $0.select(\.cards, id: "a") }
        for change: Change in [
            .set("b", "1"), .set("a", "1"), .name("n"), .set("a", "2"), .set("a", "2"),
            .remove("b"), .remove("a"),
        ] {
            store.dispatch(change)
        }
        #expect(observer.received.map { $0?.title } == [nil, "1", "2", nil])
    }

    @Test func `a row of an ordered table that only moves isn't told`() {
        let store = makeStore(["a", "b", "c"].map { Card(id: $0) })
        let observer = Observer<Card?>()
        store.subscribe(observer) { $0.select(\.column, id: "a") }
        store.dispatch(Change.insert("a", at: 2))
        store.dispatch(Change.insert("d", at: 0))
        store.dispatch(Change.set("a", "new"))
        #expect(observer.received.map { $0?.title } == ["", "new"])
    }

    @Test func `an id is its bytes`() {
        let store = makeStore()
        let (one, other) = (Observer<Card?>(), Observer<Card?>())
        store.subscribe(one) { $0.select(\.cards, id: "é") }
        store.subscribe(other) { $0.select(\.cards, id: "e\u{301}") }
        store.dispatch(Change.set("e\u{301}", "two"))
        #expect(one.received.map { $0?.title } == [nil])
        #expect(other.received.map { $0?.title } == [nil, "two"])
    }

    @Test func `of a thousand subscribed rows one that changed is compared`() {
        let counter = Counter()
        let store = makeStore((0..<1000).map { Card(id: "\($0)") })
        let observers = (0..<1000).map { id in
            let observer = Observer<Card?>()
            store.subscribe(observer) { $0.select(\.cards, id: "\(id)") }
            return observer
        }
        Card.$comparisons.withValue(counter) { store.dispatch(Change.set("17", "new")) }
        #expect(counter.count <= 3)
        #expect(observers.reduce(0) { $0 + $1.received.count } == 1001)
        Card.$comparisons.withValue(counter) { store.dispatch(Change.name("n")) }
        #expect(counter.count <= 3)
    }

    @Test func `what follows the row filters as usual`() {
        let store = makeStore()
        let (lengths, odd) = (Observer<Int>(), Observer<Card?>())
        store.subscribe(lengths) { $0.select(\.cards, id: "a").select { $0?.title.count ?? 0 } }
        store.subscribe(odd) {
            $0.select(\.cards, id: "a").only { _, new in (new?.title.count ?? 0) % 2 == 1 }
        }
        for title in ["x", "y", "xy", "z", "z"] { store.dispatch(Change.set("a", title)) }
        #expect(lengths.received == [0, 1, 2, 1])
        #expect(odd.received.map { $0?.title } == [nil, "x", "y", "z"])
    }

    @Test func `it works behind closures, filters, scopes and operators`() {
        let store = makeStore()
        let observers = (0..<4).map { _ in Observer<Card?>() }
        store.subscribe(observers[0]) { $0.select { $0 }.select(\.cards, id: "a") }
        store.subscribe(observers[1]) {
            $0.skipRepeats { $0.name == $1.name }.select(\.cards, id: "a")
        }
        store.scope(\.cards).subscribe(observers[2]) { $0.select(\.self, id: "a") }
        store.subscribe(observers[3]) { $0.select(\.cards, id: "a").throughOperator() }
        store.dispatch(Change.set("b", "1"))
        store.dispatch(Change.set("a", "1"))
        store.dispatch(Change.name("n"))
        store.dispatch(Change.set("a", "2"))
        #expect(observers[0].received.map { $0?.title } == [nil, "1", "2"])
        #expect(observers[1].received.map { $0?.title } == [nil, "1"])
        #expect(observers[2].received.map { $0?.title } == [nil, "1", "2"])
        #expect(observers[3].received.map { $0?.title } == [nil, "1", "2"])
    }

    @Test func `a row that can't be compared is told when it may have changed`() {
        struct Opaque: Identifiable {
            var id: Int
            let work: () -> Void = {}
        }
        let store = Store(state: Table([Opaque(id: 1), Opaque(id: 2)])) { table, action in
            if let id = (action as? SelectRow)?.id { table.update(Opaque(id: id)) }
        }
        let observer = Observer<Opaque?>()
        store.subscribe(observer) { $0.select(\.self, id: 1) }
        for id in [2, 1, 2, 3, 1] { store.dispatch(SelectRow(id: id)) }
        #expect(observer.received.count == 3)

        let column = Store(state: OrderedTable([Opaque(id: 1), Opaque(id: 2)])) { table, action in
            if let id = (action as? SelectRow)?.id { table.move(id: id, to: 0) }
        }
        let other = Observer<Opaque?>()
        column.subscribe(other) { $0.select(\.self, id: 2) }
        column.dispatch(SelectRow(id: 2))
        #expect(column.state.map(\.id) == [2, 1])
        #expect(other.received.count == 1)
    }

    private struct SelectRow: Action { let id: Int }

    @Test func `rows that nobody subscribes to any more cost nothing`() {
        let store = makeStore([Card(id: "a"), Card(id: "b")])
        let (one, other) = (Observer<Card?>(), Observer<Card?>())
        store.subscribe(one) { $0.select(\.cards, id: "a") }
        store.subscribe(other) { $0.select(\.cards, id: "b") }
        store.unsubscribe(one)
        store.dispatch(Change.set("a", "1"))
        store.dispatch(Change.set("b", "1"))
        #expect(one.received.count == 1)
        #expect(other.received.count == 2)
        store.unsubscribe(other)
        #expect(store.subscriptions.isEmpty)
        store.subscribe(one) { $0.select(\.cards, id: "b") }
        #expect(one.received.map { $0?.title } == ["", "1"])
        store.dispatch(Change.set("b", "2"))
        #expect(one.received.map { $0?.title } == ["", "1", "2"])
    }

    @Test func `whoever comes before the first state gets its row with it`() {
        let list = SubscriptionList<Board>()
        let observer = Observer<Card?>()
        list.subscribe(
            observer, transform: { $0.select(\.cards, id: "a") }, skipsRepeats: true, current: nil)
        list.notify(Board(cards: Table([Card(id: "a", title: "1")])))
        list.notify(Board(cards: Table([Card(id: "a", title: "2")])))
        #expect(observer.received.map { $0?.title } == ["1", "2"])
    }

    // MARK: Against key paths

    /// Two stores live through the same, with subscriptions by id and by key path.
    @Test(arguments: 0..<60 as Range<UInt64>)
    func `everyone gets what a key path would get, in the same order`(_ seed: UInt64) {
        let logs = [true, false].map { isByID in log(seed, isByID: isByID) }
        #expect(logs[0] == logs[1], "seed \(seed)")
        #expect(logs[0].count > 20)
    }

    private func log(_ seed: UInt64, isByID: Bool) -> [String] {
        var random = SplitMix(state: seed)
        var log: [String] = []
        let store = makeStore(["a", "b"].map { Card(id: $0) })
        let ids = ["a", "b", "c", "d"]
        var observers: [Observer<Card?>] = []
        func subscribe(_ observer: Observer<Card?>, to id: String, isOrdered: Bool) {
            store.subscribe(observer) {
                switch (isByID, isOrdered) {
                case (true, false): $0.select(\.cards, id: id)
                case (true, true): $0.select(\.column, id: id)
                case (false, false): $0.select(\.cards[id: id])
                case (false, true): $0.select(\.column[id: id])
                }
            }
        }
        func change() -> Change {
            let id = ids[random.next(below: 4)]
            return switch random.next(below: 9) {
            case 0: .remove(id)
            case 1: .insert(id, at: random.next(below: 3))
            case 2: .name(id)
            case 3: .reset(ids.prefix(random.next(below: 4)).map { Card(id: $0, title: "r") })
            default: .set(id, "\(random.next(below: 3))")
            }
        }
        for number in 0..<8 {
            let observer = Observer<Card?> { log.append("\(number): \($0?.title ?? "-")") }
            // A few dispatch, come and go while they are notified.
            var left = 6
            observer.reaction = { _ in
                guard left > 0, random.next(below: 5) == 0 else { return }
                left -= 1
                switch random.next(below: 3) {
                case 0: store.unsubscribe(observers[random.next(below: observers.count)])
                case 1:
                    subscribe(
                        observers[random.next(below: observers.count)],
                        to: ids[random.next(below: 4)], isOrdered: random.next(below: 2) == 0)
                default: store.dispatch(change())
                }
            }
            observers.append(observer)
        }
        for step in 0..<80 {
            log.append("step \(step)")
            switch random.next(below: 6) {
            case 0:
                subscribe(
                    observers[random.next(below: 8)], to: ids[random.next(below: 4)],
                    isOrdered: random.next(below: 2) == 0)
            case 1 where step % 5 == 0: store.unsubscribe(observers[random.next(below: 8)])
            case 2:
                store.batch {
                    store.dispatch(change())
                    store.dispatch(change())
                }
            default: store.dispatch(change())
            }
        }
        return log
    }
}

extension Subscription {
    /// The same values, through an operator of one's own.
    fileprivate func throughOperator() -> Subscription<State> {
        Subscription<State> { sink in observer = { _, new in sink(nil, new) } }
    }
}
