import StorecastRedux
import Testing

@Suite(.timeLimit(.minutes(30)))
struct CreateStoreTests {
    @Test func `without a state the reducer is asked for one with the default action`() {
        var asked: [any Action] = []
        let store = createStore { (state: Int?, action) in
            asked.append(action)
            return state ?? 42
        }
        #expect(store.state == 42)
        #expect(asked.count == 1)
        #expect(asked.first is DefaultAction)
    }

    @Test func `with a state the reducer is not asked`() {
        let store = createStore(countReducer, state: 3)
        #expect(store.getState() == 3)
    }

    @Test func `an action makes the next state and is returned`() {
        let store = createStore(cinemaReducer)
        let returned = store.dispatch(Count(payload: 4))
        store.dispatch(ShowFilm(title: "Solaris"))
        #expect(returned as? Count == Count(payload: 4))
        #expect(store.state == Cinema(count: 14, films: ["Solaris"]))
    }

    @Test func `a subscriber gets every state from the next one on`() {
        let store = createStore(countReducer, state: 0)
        var seen: [Int] = []
        store.subscribe { seen.append($0) }
        #expect(seen == [])
        for amount in [1, 1, 0] { store.dispatch(Count(payload: amount)) }
        #expect(seen == [1, 2, 2])
    }

    @Test func `subscribers are called in the order in which they subscribed`() {
        let store = createStore(countReducer, state: 0)
        var seen: [Int] = []
        for number in 0..<20 { store.subscribe { _ in seen.append(number) } }
        store.dispatch(Count())
        #expect(seen == Array(0..<20))
    }

    @Test func `when a subscriber dispatches, nobody sees states out of order or twice`() {
        let store = createStore(countReducer, state: 0)
        var (first, second): ([Int], [Int]) = ([], [])
        store.subscribe { state in
            if state < 3 { store.dispatch(Count()) }
            first.append(state)
        }
        store.subscribe { second.append($0) }
        store.dispatch(Count())
        #expect(first == [1, 2, 3])
        #expect(second == [3])
    }

    @Test func `dispatch from a reducer ends the program and names the action`() async throws {
        let result = try await #require(
            processExitsWith: .failure, observing: [\.standardErrorContent]
        ) {
            struct InnerMistake: Action {}
            var store: ReduxStore<Int>?
            store = createStore { state, action in
                if action is Count { store?.dispatch(InnerMistake()) }
                return state ?? 0
            }
            store?.dispatch(Count())
        }
        let message = String(decoding: result.standardErrorContent, as: UTF8.self)
        #expect(message.contains("InnerMistake() was dispatched while another action"))
    }

    @Test func `the program of the guide`() {
        enum Counting: Action {
            case increment, decrement
            case set(Int)
        }
        let store = createStore { (state: Int?, action: any Action) -> Int in
            switch action {
            case Counting.increment: (state ?? 0) + 1
            case Counting.decrement: (state ?? 0) - 1
            case Counting.set(let value): value
            default: state ?? 0
            }
        }
        var printed: [String] = []
        let disposable = store.subscribe { state in printed.append("\(state)") }
        store.dispatch(Counting.increment)
        store.dispatch(Counting.set(7))
        store.dispatch(Counting.decrement)
        disposable.dispose()
        store.dispatch(Counting.increment)
        #expect(printed == ["1", "7", "6"])
    }
}
