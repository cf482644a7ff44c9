import Storecast
import Testing

@Suite(.timeLimit(.minutes(30)))
struct StoreTests {
    struct Add: Action { var amount = 1 }

    private func add(action: any Action, state: Int?) -> Int {
        (state ?? 100) + ((action as? Add)?.amount ?? 0)
    }

    @Test func `an action makes the next state`() {
        let store = Store(reducer: add, state: 5)
        store.dispatch(Add(amount: 2))
        store.dispatch(Add())
        #expect(store.state == 8)
    }

    @Test func `an action that the reducer does not know changes nothing`() {
        let store = makePairStore(Pair(a: 3))
        store.dispatch(Add())
        #expect(store.state == Pair(a: 3))
    }

    @Test func `an in-place reducer changes the state`() {
        let store = Store(state: [1]) { numbers, action in
            if let add = action as? Add { numbers.append(add.amount) }
        }
        store.dispatch(Add(amount: 7))
        #expect(store.state == [1, 7])
    }

    @Test func `without a state the reducer supplies one when asked with the init action`() {
        var asked: [(isInit: Bool, state: Int?)] = []
        let store = Store<Int>(
            reducer: { action, state in
                asked.append((action is ReSwiftInit, state))
                return state ?? 42
            }, state: nil)
        #expect(store.state == 42)
        #expect(asked.count == 1)
        #expect(asked.first?.isInit == true)
        #expect(asked.first?.state == nil)
    }

    @Test func `with a state there is no init action`() {
        var actions = 0
        let store = Store<Int>(
            reducer: { _, state in
                actions += 1
                return state ?? 0
            }, state: 1)
        #expect(actions == 0)
        #expect(store.state == 1)
    }

    @Test func `a pure reducer may read the state of the store that it works for`() {
        var seen: Int?
        var store: Store<Int>?
        store = Store<Int>(
            reducer: { _, state in
                seen = store?.state
                return (state ?? 0) + 1
            }, state: 1)
        store?.dispatch(Add())
        #expect(seen == 1)
        #expect(store?.state == 2)
    }

    @Test func `dispatch from a reducer ends the program and names the action`() async throws {
        let result = try await #require(
            processExitsWith: .failure, observing: [\.standardErrorContent]
        ) {
            struct Outer: Action {}
            struct InnerMistake: Action {}
            var store: Store<Int>?
            store = Store(state: 0) { _, action in
                if action is Outer { store?.dispatch(InnerMistake()) }
            }
            store?.dispatch(Outer())
        }
        let message = String(decoding: result.standardErrorContent, as: UTF8.self)
        #expect(message.contains("InnerMistake() was dispatched while another action"))
    }

    @Test func `dispatch from a reducer is caught behind an interceptor too`() async throws {
        let result = try await #require(
            processExitsWith: .failure, observing: [\.standardErrorContent]
        ) {
            struct Outer: Action {}
            var store: Store<Int>?
            store = Store(state: 0) { _, action in
                if action is Outer { store?.dispatch(ReSwiftInit()) }
            }
            store?.interceptDispatch { _ in }
            store?.reduce(Outer())
        }
        let message = String(decoding: result.standardErrorContent, as: UTF8.self)
        #expect(message.contains("ReSwiftInit() was dispatched while"))
    }

    @Test func `a store is freed while its dispatch function lives on and does nothing`() throws {
        let passThrough: Middleware<Int> = { _, _ in { next in { action in next(action) } } }
        var store: Store<Int>? = Store(reducer: add, state: 0, middleware: [passThrough])
        weak let reference = store
        let dispatch = try #require(store?.dispatchFunction)
        dispatch(Add())
        #expect(store?.state == 1)
        store = nil
        #expect(reference == nil)
        dispatch(Add())
    }

    @Test func `the dispatch function can be replaced`() throws {
        let store = Store(reducer: add, state: 0)
        let original = try #require(store.dispatchFunction)
        store.dispatchFunction = { action in
            original(action)
            original(action)
        }
        store.dispatch(Add())
        #expect(store.state == 2)
    }
}
