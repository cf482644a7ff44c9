import Storecast
import Testing

struct ScopedStoreTests {
    struct Board: Equatable {
        var cards: [String] = []
        var owner = Owner()
    }

    struct Owner: Equatable {
        var name = ""
        var age = 0
    }

    struct App: Equatable {
        var board = Board()
        var clicks = 0
    }

    enum Edit: Action {
        case add(String)
        case rename(String)
        case click
    }

    private func makeStore() -> Store<App> {
        Store(state: App()) { app, action in
            switch action as? Edit {
            case .add(let card): app.board.cards.append(card)
            case .rename(let name): app.board.owner.name = name
            case .click: app.clicks += 1
            case nil: break
            }
        }
    }

    @Test func `a scope shows its part and dispatches to the whole store`() {
        let store = makeStore()
        let board = store.scope(\.board)
        let owner = board.scope(\.owner)
        board.dispatch(Edit.add("a"))
        owner.dispatch(Edit.click)
        owner.dispatchFunction(Edit.rename("Ada"))
        #expect(board.state.cards == ["a"])
        #expect(owner.state.name == "Ada")
        #expect(store.state.clicks == 1)
    }

    @Test(arguments: [true, false])
    func `a scope tells equal states as its store does`(skips: Bool) {
        let observer = Observer<Int>()
        let store = makePairStore(skips: skips)
        store.scope(\.a).subscribe(observer)
        store.dispatch(PairAction.setA(0))
        store.dispatch(PairAction.setA(1))
        #expect(observer.received == (skips ? [0, 1] : [0, 0, 1]))
    }

    @Test func `it is subscribed to like any store`() {
        let board = makeStore().scope(\.board)
        let whole = Observer<Board>()
        let count = Observer<Int>()
        let filtered = Observer<Int>()
        board.subscribe(whole)
        board.subscribe(count) { $0.select(\.cards.count) }
        board.subscribe(filtered) { $0.select { $0.cards.count }.only { _, new in new > 1 } }
        for edit in [Edit.add("a"), .click, .add("b")] { board.dispatch(edit) }
        #expect(whole.received.map(\.cards) == [[], ["a"], ["a", "b"]])
        #expect(count.received == [0, 1, 2])
        #expect(filtered.received == [0, 2])
        board.unsubscribe(count)
        board.dispatch(Edit.add("c"))
        #expect(count.received == [0, 1, 2])
        #expect(whole.received.count == 4)
    }

    @Test func `generic code takes it for a store, action creators included`() {
        func fill<S: StoreType>(_ store: S) where S.State == Board {
            store.dispatch { board, _ in board.cards.isEmpty ? Edit.add("first") : nil }
        }
        let store = makeStore()
        fill(store.scope(\.board))
        fill(store.scope(\.board))
        #expect(store.state.board.cards == ["first"])
    }

    @Test func `subscribers of scopes and store are notified in the order of subscription`() {
        let store = makeStore()
        var log: [String] = []
        let a = Observer<Int> { _ in log.append("a") }
        let b = Observer<Int> { _ in log.append("b") }
        let c = Observer<String> { _ in log.append("c") }
        let d = Observer<App> { _ in log.append("d") }
        let e = Observer<Int> { _ in log.append("e") }
        store.scope(\.board).subscribe(a) { $0.select(\.cards.count) }
        store.subscribe(b) { $0.select(\.board.cards.count) }
        store.scope(\.board).scope(\.owner).subscribe(c) { $0.select(\.name) }
        store.subscribe(d)
        store.scope(\.board).subscribe(e) { $0.select(\.cards.count) }
        log = []
        store.batch {
            store.dispatch(Edit.add("x"))
            store.dispatch(Edit.rename("Ada"))
        }
        #expect(log == ["a", "b", "c", "d", "e"])
    }

    @Test func `a nested dispatch shows nothing stale or twice across scopes`() {
        let store = makeStore()
        let board = store.scope(\.board)
        let first = Observer<Int>()
        let second = Observer<Int>()
        let third = Observer<Int>()
        board.subscribe(first) { $0.select(\.cards.count) }
        board.subscribe(second) { $0.select(\.cards.count) }
        store.subscribe(third) { $0.select(\.board.cards.count) }
        first.reaction = { if $0 == 1 { store.dispatch(Edit.add("nested")) } }
        store.dispatch(Edit.add("outer"))
        #expect(first.received == [0, 1, 2])
        #expect(second.received == [0, 2])
        #expect(third.received == [0, 2])
    }

    @Test func `who dispatches when it first hears of a scope makes everyone hear`() {
        let store = makeStore()
        let early = Observer<Int>()
        let owner = Observer<String>()
        store.subscribe(early) { $0.select(\.clicks) }
        owner.reaction = { if $0.isEmpty { store.dispatch(Edit.rename("Ada")) } }
        let late = Observer<Owner>()
        late.reaction = { _ in if store.state.clicks == 0 { store.dispatch(Edit.click) } }
        let scope = store.scope(\.board).scope(\.owner)
        scope.subscribe(owner) { $0.select(\.name) }
        scope.subscribe(late)
        #expect(owner.received == ["", "Ada"])
        #expect(late.received.map(\.name) == ["Ada"])
        #expect(early.received == [0, 1])
    }

    @Test func `an untouched scope costs one evaluation for all its subscribers`() {
        struct Part: Equatable { var value = 0 }
        struct Whole {
            let reads: Probe
            var stored = Part()
            var other = 0
            var part: Part {
                reads.count += 1
                return stored
            }
        }
        let reads = Probe()
        let evaluations = Probe()
        let store = Store(state: Whole(reads: reads)) { whole, action in
            switch action {
            case let set as SetOpaque: whole.stored.value = set.value
            case let set as SetOther: whole.other = set.other
            default: break
            }
        }
        let observers = (0..<20).map { _ in Observer<Int>() }
        for observer in observers {
            store.scope(\.part).subscribe(observer) {
                $0.select { part in
                    evaluations.count += 1
                    return part.value
                }
            }
        }
        store.dispatch(SetOther(other: 1))
        reads.count = 0
        evaluations.count = 0
        store.dispatch(SetOther(other: 2))
        #expect(reads.count == 1)
        #expect(evaluations.count == 0)
        store.dispatch(SetOpaque(value: 3))
        #expect(reads.count == 2)
        #expect(evaluations.count == 20)
        #expect(observers.allSatisfy { $0.received == [0, 3] })
    }

    @Test func `a scope without subscribers is not evaluated`() {
        let store = makeStore()
        let scope = store.scope(\.board).scope(\.owner)
        let observer = Observer<String>()
        scope.subscribe(observer) { $0.select(\.name) }
        #expect(!store.subscriptions.isEmpty)
        scope.unsubscribe(observer)
        #expect(store.subscriptions.isEmpty)
        scope.subscribe(observer) { $0.select(\.name) }
        store.dispatch(Edit.rename("Ada"))
        #expect(observer.received == ["", "", "Ada"])
    }

    @Test func `a part that nobody can compare is passed on every time`() {
        struct Whole { var part = Opaque() }
        let store = Store(state: Whole()) { whole, action in
            if let set = action as? SetOpaque { whole.part.value = set.value }
        }
        let whole = Observer<Opaque>()
        let value = Observer<Int>()
        let scope = store.scope(\.part)
        scope.subscribe(whole)
        scope.subscribe(value) { $0.select(\.value) }
        store.dispatch(SetOpaque(value: 0))
        store.dispatch(SetOpaque(value: 1))
        #expect(whole.received.count == 3)
        #expect(value.received == [0, 1])
    }

    @Test func `a scope keeps its store alive, the store keeps no scope`() {
        var store: Store<App>? = makeStore()
        weak let storeReference = store
        var scope = store?.scope(\.board).scope(\.owner)
        weak let scopeReference = scope
        let observer = Observer<String>()
        scope?.subscribe(observer) { $0.select(\.name) }
        store = nil
        scope?.dispatch(Edit.rename("Ada"))
        #expect(observer.received == ["", "Ada"])
        #expect(storeReference != nil)
        scope = nil
        #expect(scopeReference == nil)
        #expect(storeReference == nil)
    }

    @Test func `subscriptions outlive the scope they were made by, and equal scopes share them`() {
        let store = makeStore()
        let observer = Observer<String>()
        store.scope(\.board).scope(\.owner).subscribe(observer) { $0.select(\.name) }
        store.dispatch(Edit.rename("Ada"))
        #expect(observer.received == ["", "Ada"])
        store.scope(\.board).scope(\.owner).unsubscribe(observer)
        store.dispatch(Edit.rename("Bob"))
        #expect(observer.received == ["", "Ada"])
        #expect(store.subscriptions.isEmpty)
    }

    @Test func `a scope of a store without a state has none`() {
        let stopping: Middleware<App> = { _, _ in { _ in { _ in } } }
        let store = Store<App>(
            reducer: { _, app in app ?? App() }, state: nil, middleware: [stopping])
        let scope = store.scope(\.board)
        #expect(scope.state == nil)
        let observer = Observer<Board>()
        scope.subscribe(observer)
        #expect(observer.received.isEmpty)
        store.middleware = []
        store.dispatch(Edit.click)
        #expect(observer.received == [Board()])
    }

    @Test func `subscribers of a scope that have gone are forgotten`() {
        let store = makeStore()
        var observer: Observer<Int>? = Observer()
        if let observer { store.scope(\.board).subscribe(observer) { $0.select(\.cards.count) } }
        observer = nil
        store.dispatch(Edit.add("x"))
        #expect(store.subscriptions.isEmpty)
    }

    @Test func `a subscriber may end the last subscription of a scope during the round`() {
        let store = makeStore()
        let scope = store.scope(\.board)
        let first = Observer<Int>()
        let last = Observer<Int>()
        store.subscribe(first) { $0.select(\.board.cards.count) }
        scope.subscribe(last) { $0.select(\.cards.count) }
        first.reaction = { count in
            if count == 1 {
                scope.unsubscribe(last)
                store.dispatch(Edit.add("b"))
            }
            if count == 2 { scope.subscribe(last) { $0.select(\.cards.count) } }
        }
        store.dispatch(Edit.add("a"))
        #expect(first.received == [0, 1, 2])
        #expect(last.received == [0, 2])
    }
}
