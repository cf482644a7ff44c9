import StorecastRedux
import Testing

@Suite(.timeLimit(.minutes(30)))
struct ApplyMiddlewareTests {
    private func logging(
        _ name: String, _ note: @escaping (String) -> Void
    ) -> ReduxMiddleware<Int> {
        { _ in
            { next in
                { action in
                    note("\(name) in")
                    defer { note("\(name) out") }
                    return next(action)
                }
            }
        }
    }

    @Test func `middleware is passed in the order of the array, and back`() {
        var log: [String] = []
        let store = applyMiddleware([
            logging("first") { log.append($0) }, logging("second") { log.append($0) },
        ])(createStore)(countReducer, 0)
        store.dispatch(Count())
        #expect(log == ["first in", "second in", "second out", "first out"])
        #expect(store.state == 1)
    }

    @Test func `without middleware the store is as it was`() {
        let store = applyMiddleware([])(createStore)(countReducer, nil)
        #expect(store.dispatch(Count(payload: 2)) as? Count == Count(payload: 2))
        #expect(store.state == 12)
    }

    @Test func `a middleware's dispatch goes through the whole chain again`() {
        var log: [String] = []
        let twice: ReduxMiddleware<Int> = { api in
            { next in
                { action in
                    if let film = action as? ShowFilm {
                        return api.dispatch(Count(payload: film.times))
                    }
                    return next(action)
                }
            }
        }
        let store = applyMiddleware(logging("log") { log.append($0) }, twice)(createStore)(
            countReducer, 0)
        let returned = store.dispatch(ShowFilm(title: "Solaris", times: 5))
        #expect(store.state == 5)
        #expect(log == ["log in", "log in", "log out", "log out"])
        #expect(returned as? Count == Count(payload: 5))
    }

    @Test func `a middleware sees the state before and after, may change and stop actions`() {
        var states: [Int] = []
        let middleware: ReduxMiddleware<Int> = { api in
            { next in
                { action in
                    states.append(api.getState())
                    defer { states.append(api.getState()) }
                    guard let count = action as? Count else { return action }
                    return next(Count(payload: count.rawPayload * 10))
                }
            }
        }
        let store = applyMiddleware(middleware)(createStore)(countReducer, 0)
        var seen: [Int] = []
        store.subscribe { seen.append($0) }
        store.dispatch(ShowFilm(title: "Solaris"))
        store.dispatch(Count())
        #expect(states == [0, 0, 0, 10])
        #expect(seen == [10])
    }

    @Test func `enhancers are composed, the last nearest to the store`() {
        var log: [String] = []
        let enhancer: StoreEnhancer<Int> = compose(
            applyMiddleware(logging("outer") { log.append($0) }),
            applyMiddleware(logging("inner") { log.append($0) }))
        let store = enhancer(createStore)(countReducer, 0)
        store.dispatch(Count())
        #expect(log == ["outer in", "inner in", "inner out", "outer out"])
    }

    @Test func `an enhancer of one's own builds a store from another's functions`() {
        let doubling: StoreEnhancer<Int> = { create in
            { reducer, state in
                let store = create(reducer, state)
                return ReduxStore(
                    dispatch: { action in
                        store.dispatch(action)
                        return store.dispatch(action)
                    }, subscribe: store.subscribe, getState: store.getState)
            }
        }
        let store = doubling(createStore)(countReducer, 0)
        store.dispatch(Count())
        #expect(store.state == 2)
    }

    @Test func `a store with middleware that keeps its interface is freed`() {
        var probe: Probe? = Probe()
        weak let reference = probe
        var kept: MiddlewareApi<Int>?
        func makeAndUseStore() {
            let keeping: ReduxMiddleware<Int> = { [probe] api in
                { next in
                    { action in
                        probe?.count += 1
                        kept = api
                        return next(action)
                    }
                }
            }
            let store = applyMiddleware(keeping)(createStore)(countReducer, 0)
            store.dispatch(Count())
        }
        makeAndUseStore()
        #expect(probe?.count == 1)
        probe = nil
        #expect(reference == nil)
        #expect(kept?.dispatch(Count(payload: 3)) as? Count == Count(payload: 3))
        #expect(kept?.getState() == 1)
    }

    @Test func `dispatch while the chain is being made ends the program and says why`()
        async throws
    {
        let result = try await #require(
            processExitsWith: .failure, observing: [\.standardErrorContent]
        ) {
            let hasty: ReduxMiddleware<Int> = { api in
                _ = api.dispatch(Count())
                return { $0 }
            }
            _ = applyMiddleware(hasty)(createStore)(countReducer, 0)
        }
        let message = String(decoding: result.standardErrorContent, as: UTF8.self)
        #expect(message.contains("before the chain was complete"))
    }
}
