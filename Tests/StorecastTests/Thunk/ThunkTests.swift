import Storecast
import Testing

struct ThunkTests {
    private let store = makePairStore(middleware: [createThunkMiddleware()])

    @Test func `a thunk reads the state and dispatches`() {
        store.dispatch(PairAction.setA(3))
        store.dispatch(
            Thunk<Pair> { dispatch, getState in
                dispatch(PairAction.setB(getState()!.a + 1))
                // Dispatch is done when it returns.
                dispatch(PairAction.setName("b is \(getState()!.b)"))
            })
        #expect(store.state == Pair(a: 3, b: 4, name: "b is 4"))
    }

    @Test func `no reducer and no later middleware sees a thunk`() {
        var seen: [String] = []
        func watching(_ name: String) -> Middleware<Int> {
            { _, _ in
                { next in
                    { action in
                        seen.append("\(name) \(type(of: action))")
                        next(action)
                    }
                }
            }
        }
        let store = Store<Int>(
            state: 0,
            middleware: [watching("before"), createThunkMiddleware(), watching("after")]
        ) { _, action in seen.append("reducer \(type(of: action))") }
        store.dispatch(Thunk<Int> { _, _ in seen.append("body") })
        #expect(seen == ["before Thunk<Int>", "body"])
        seen = []
        store.dispatch(PairAction.nothing)
        #expect(seen == ["before PairAction", "after PairAction", "reducer PairAction"])
    }

    @Test func `what a thunk dispatches passes through the whole chain, other thunks too`() {
        var seen: [String] = []
        let watching: Middleware<Pair> = { _, _ in
            { next in
                { action in
                    seen.append("\(type(of: action))")
                    next(action)
                }
            }
        }
        let store = makePairStore(middleware: [watching, createThunkMiddleware()])
        let inner = Thunk<Pair> { dispatch, _ in dispatch(PairAction.setA(7)) }
        store.dispatch(Thunk<Pair> { dispatch, _ in dispatch(inner) })
        #expect(seen == ["Thunk<Pair>", "Thunk<Pair>", "PairAction"])
        #expect(store.state.a == 7)
    }

    @Test func `a thunk may call back later`() {
        var answer: ((Int) -> Void)?
        store.dispatch(
            Thunk<Pair> { dispatch, _ in
                dispatch(PairAction.setName("asked"))
                answer = { dispatch(PairAction.setA($0)) }
            })
        #expect(store.state == Pair(name: "asked"))
        answer?(5)
        #expect(store.state == Pair(a: 5, name: "asked"))
    }

    @Test func `what a thunk keeps doesn't keep the store alive`() {
        var kept: (dispatch: DispatchFunction, getState: () -> Pair?)?
        weak var gone: Store<Pair>?
        do {
            let store = makePairStore(middleware: [createThunkMiddleware()])
            gone = store
            store.dispatch(Thunk<Pair> { kept = ($0, $1) })
            #expect(kept?.getState() != nil)
        }
        #expect(gone == nil)
        kept?.dispatch(PairAction.nothing)
        #expect(kept?.getState() == nil)
    }

    @Test func `a thunk for another state isn't run`() {
        store.dispatch(Thunk<Int> { _, _ in Issue.record("Not this store's.") })
        #expect(store.state == Pair())
    }
}
