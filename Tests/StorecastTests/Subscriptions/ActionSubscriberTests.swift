import Storecast
import Testing

struct ActionSubscriberTests {
    /// Writes down the value and the action that came with it.
    final class Listener: ActionSubscriber {
        private(set) var heard: [String] = []
        var reaction: ((Int) -> Void)?

        func newState(state: Int, action: (any Action)?) {
            heard.append("\(state) \(action.map { "\($0)" } ?? "-")")
            reaction?(state)
        }
    }

    private func subscribed(_ store: Store<Pair>) -> Listener {
        let listener = Listener()
        store.subscribe(listener) { $0.select(\.a) }
        return listener
    }

    @Test func `the action comes with the state, none with the first`() {
        let store = makePairStore()
        let listener = subscribed(store)
        store.dispatch(PairAction.setA(1))
        store.dispatch(PairAction.setB(1))
        store.dispatch(PairAction.setA(2))
        #expect(listener.heard == ["0 -", "1 setA(1)", "2 setA(2)"])
    }

    @Test func `it is the action as the reducer got it`() {
        let doubling: Middleware<Pair> = { _, _ in
            { next in
                { action in
                    if case .setA(let value)? = action as? PairAction {
                        next(PairAction.setA(value * 2))
                    }
                }
            }
        }
        let store = makePairStore(middleware: [doubling])
        let listener = subscribed(store)
        store.dispatch(PairAction.setA(4))
        #expect(listener.heard == ["0 -", "8 setA(8)"])
    }

    @Test func `a batch hands over its last action`() {
        let store = makePairStore()
        let listener = subscribed(store)
        store.batch {
            store.dispatch(PairAction.setA(1))
            store.dispatch(PairAction.setB(2))
        }
        store.reduce(PairAction.setA(3))
        store.reduce(PairAction.setA(4))
        store.announce(after: PairAction.setA(4))
        #expect(listener.heard == ["0 -", "1 setB(2)", "4 setA(4)"])
    }

    @Test func `those behind a subscriber that dispatches get the newer action`() {
        let store = makePairStore()
        let first = subscribed(store)
        let second = subscribed(store)
        first.reaction = { if $0 == 1 { store.dispatch(PairAction.setA(2)) } }
        store.dispatch(PairAction.setA(1))
        #expect(first.heard == ["0 -", "1 setA(1)", "2 setA(2)"])
        #expect(second.heard == ["0 -", "2 setA(2)"])
    }

    @Test func `who dispatches at its first call hears of that action`() {
        let store = makePairStore()
        let listener = Listener()
        listener.reaction = { if $0 == 0 { store.dispatch(PairAction.setA(1)) } }
        store.subscribe(listener) { $0.select(\.a) }
        #expect(listener.heard == ["0 -", "1 setA(1)"])
    }

    @Test func `a state that was replaced came without an action`() {
        let store = makePairStore()
        let listener = subscribed(store)
        store.replaceState(Pair(a: 1))
        store.batch {
            store.dispatch(PairAction.setA(2))
            store.replaceState(Pair(a: 3))
        }
        #expect(listener.heard == ["0 -", "1 -", "3 -"])
    }

    @Test func `scopes and generic code hand it over too`() {
        func follow<S: StoreType>(_ store: S) -> Listener where S.State == Int {
            let listener = Listener()
            store.subscribe(listener)
            return listener
        }
        let store = makePairStore()
        let listener = follow(store.scope(\.a))
        store.dispatch(PairAction.setA(1))
        #expect(listener.heard == ["0 -", "1 setA(1)"])
    }

    /// Not even the conformance leaves the main actor.
    @MainActor
    private final class View: ActionSubscriber {
        var title = ""

        func newState(state: String, action: (any Action)?) {
            title = "\(state) by \(action is PairAction ? "an action" : "itself")"
        }
    }

    @Test @MainActor func `a view of the main actor can be one`() {
        let store = makePairStore()
        let view = View()
        store.subscribe(view) { $0.select(\.name) }
        #expect(view.title == " by itself")
        store.dispatch(PairAction.setName("Ada"))
        #expect(view.title == "Ada by an action")
    }
}
