import Storecast
import Testing

struct ActionCreatorTests {
    private func double(below limit: Int) -> Store<Pair>.ActionCreator {
        { pair, _ in pair.a < limit ? PairAction.setA(pair.a * 2) : nil }
    }

    @Test func `an action creator decides by the state whether there is an action`() {
        let store = makePairStore(Pair(a: 3))
        store.dispatch(double(below: 10))
        #expect(store.state.a == 6)
        store.dispatch(double(below: 6))
        #expect(store.state.a == 6)
    }

    @Test func `an action creator may dispatch by itself`() {
        let store = makePairStore()
        store.dispatch { _, store in
            store.dispatch(PairAction.setB(1))
            return PairAction.setA(2)
        }
        #expect(store.state == Pair(a: 2, b: 1))
    }

    @Test func `an asynchronous creator dispatches when it calls back`() {
        let store = makePairStore()
        var later: (() -> Void)?
        store.dispatch { _, _, callback in
            later = { callback { pair, _ in PairAction.setA(pair.b + 1) } }
        }
        store.dispatch(PairAction.setB(4))
        #expect(store.state.a == 0)
        later?()
        #expect(store.state.a == 5)
    }

    @Test func `the callback gets the state after the action, once`() {
        let store = makePairStore()
        var states: [Pair] = []
        let creator: Store<Pair>.AsyncActionCreator = { _, _, callback in
            callback { _, _ in PairAction.setA(1) }
            callback { _, _ in PairAction.setA(2) }
        }
        store.dispatch(creator) { states.append($0) }
        #expect(states == [Pair(a: 1)])
        #expect(store.state.a == 2)
    }

    @Test func `without an action the callback is not called`() {
        let store = makePairStore()
        var calls = 0
        let creator: Store<Pair>.AsyncActionCreator = { _, _, callback in callback { _, _ in nil } }
        store.dispatch(creator) { _ in calls += 1 }
        #expect(calls == 0)
    }

    @Test func `creators pass through the middleware as actions only`() {
        var seen = 0
        let counting: Middleware<Pair> = { _, _ in
            { next in
                { action in
                    if action is PairAction { seen += 1 }
                    next(action)
                }
            }
        }
        let store = makePairStore(Pair(a: 1), middleware: [counting])
        store.dispatch(double(below: 10))
        #expect(seen == 1)
    }
}
