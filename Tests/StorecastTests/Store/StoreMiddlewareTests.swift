import Storecast
import Testing

struct StoreMiddlewareTests {
    /// Appends a mark to a name on its way.
    private func marking(_ mark: String) -> Middleware<Pair> {
        { _, _ in
            { next in
                { action in
                    if case .setName(let name)? = action as? PairAction {
                        next(PairAction.setName(name + mark))
                    } else {
                        next(action)
                    }
                }
            }
        }
    }

    @Test func `actions pass the middleware in the order of the array`() {
        let store = makePairStore(middleware: [marking("1"), marking("2"), marking("3")])
        store.dispatch(PairAction.setName("x"))
        #expect(store.state.name == "x123")
    }

    @Test func `a middleware can stop an action`() {
        let stopping: Middleware<Pair> = { _, _ in { _ in { _ in } } }
        let store = makePairStore(middleware: [stopping])
        store.dispatch(PairAction.setA(1))
        #expect(store.state.a == 0)
    }

    @Test func `what a middleware dispatches starts at the beginning of the chain`() {
        let redirecting: Middleware<Pair> = { dispatch, _ in
            { next in
                { action in
                    if case .setA(let value)? = action as? PairAction {
                        dispatch(PairAction.setName("from \(value)"))
                    } else {
                        next(action)
                    }
                }
            }
        }
        let store = makePairStore(middleware: [marking("1"), redirecting, marking("2")])
        store.dispatch(PairAction.setA(9))
        #expect(store.state.name == "from 912")
        #expect(store.state.a == 0)
    }

    @Test func `a middleware sees the state before and after the action`() {
        var seen: [Int?] = []
        let looking: Middleware<Pair> = { _, getState in
            { next in
                { action in
                    seen.append(getState()?.a)
                    next(action)
                    seen.append(getState()?.a)
                }
            }
        }
        let store = makePairStore(middleware: [looking])
        store.dispatch(PairAction.setA(5))
        #expect(seen == [0, 5])
    }

    @Test func `the init action passes through the middleware, which finds no state yet`() {
        var seen: [(isInit: Bool, state: Int?)] = []
        let looking: Middleware<Int> = { _, getState in
            { next in
                { action in
                    seen.append((action is ReSwiftInit, getState()))
                    next(action)
                }
            }
        }
        let store = Store(reducer: { _, state in state ?? 7 }, state: nil, middleware: [looking])
        #expect(seen.count == 1)
        #expect(seen.first?.isInit == true)
        #expect(seen.first?.state == nil)
        #expect(store.state == 7)
    }

    @Test func `a middleware that stops the init action leaves the store without a state`() {
        let stopping: Middleware<Int> = { _, _ in
            { next in { action in if !(action is ReSwiftInit) { next(action) } } }
        }
        let store = Store(reducer: { _, state in state ?? 7 }, state: nil, middleware: [stopping])
        #expect(store.state == nil)
        let observer = Observer<Int>()
        store.subscribe(observer)
        #expect(observer.received.isEmpty)
        store.dispatch(PairAction.nothing)
        #expect(observer.received == [7])
    }

    @Test func `changing the middleware rebuilds the chain`() {
        let store = makePairStore()
        store.dispatch(PairAction.setName("a"))
        #expect(store.state.name == "a")
        store.middleware = [marking("1")]
        store.dispatch(PairAction.setName("b"))
        #expect(store.state.name == "b1")
        store.middleware.append(marking("2"))
        store.dispatchFunction(PairAction.setName("c"))
        #expect(store.state.name == "c12")
        store.middleware = []
        store.dispatch(PairAction.setName("d"))
        #expect(store.state.name == "d")
    }

    @Test func `a middleware written for any state fits every store`() {
        var count = 0
        let counting: Middleware<Any> = { _, getState in
            { next in
                { action in
                    if getState() is Pair { count += 1 }
                    next(action)
                }
            }
        }
        let store = makePairStore(middleware: [counting])
        store.dispatch(PairAction.nothing)
        #expect(count == 1)
    }
}
