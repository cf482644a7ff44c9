import StorecastRedux
import Testing

struct ReduxFunctionsTests {
    // MARK: compose

    @Test func `compose applies the last function first`() {
        let composed: (String) -> String = compose({ "f(\($0))" }, { "g(\($0))" }, { "h(\($0))" })
        #expect(composed("x") == "f(g(h(x)))")
        #expect(compose([{ $0 + 1 }, { $0 * 2 }])(5) == 11)
    }

    @Test func `compose of nothing is the identity`() {
        #expect(compose([])(5) == 5)
    }

    // MARK: combineReducers

    private let combined: ReduxReducer<Cinema> = combineReducers(
        Cinema(city: "Rome"), (\.count, countReducer), (\.films, filmsReducer))

    @Test func `combined reducers supply the first state together`() {
        let store = createStore(combined)
        #expect(store.state == Cinema(count: 10, films: [], city: "Rome"))
    }

    @Test func `each combined reducer works on its part and leaves the others alone`() {
        let store = createStore(combined, state: Cinema(count: 1, films: ["Mirror"]))
        store.dispatch(Count(payload: 2))
        store.dispatch(ShowFilm(title: "Solaris"))
        #expect(store.state == Cinema(count: 3, films: ["Mirror", "Solaris"], city: "Turin"))
    }

    @Test func `every combined reducer sees every action and the part before it`() {
        var seen: [String] = []
        func noting(_ name: String) -> ReduxReducer<Int> {
            { state, action in
                seen.append("\(name) \(state ?? -1)")
                return (state ?? 0) + 1
            }
        }
        struct Two {
            var left = 0
            var right = 0
        }
        let reducer = combineReducers(
            Two(), (\Two.left, noting("left")), (\Two.right, noting("right")))
        let state = reducer(reducer(nil, Count()), Count())
        #expect(seen == ["left -1", "right -1", "left 1", "right 1"])
        #expect(state.left == 2)
        #expect(state.right == 2)
    }

    @Test func `combined reducers can be combined`() {
        struct City {
            var cinema = Cinema()
            var population = 0
        }
        let reducer = combineReducers(
            City(), (\City.cinema, combined), (\City.population, countReducer))
        let state = reducer(nil, Count(payload: 5))
        #expect(state.cinema.count == 15)
        #expect(state.cinema.city == "Rome")
        #expect(state.population == 15)
    }

    // MARK: bindActionCreators

    @Test func `a bound initialiser makes the action and dispatches it`() {
        let store = createStore(cinemaReducer)
        let show = bindActionCreators(ShowFilm.init, dispatch: store.dispatch)
        show("Solaris", 2)
        #expect(store.state.films == ["Solaris", "Solaris"])
    }

    @Test func `a bound function may have any arguments, or none`() {
        let store = createStore(countReducer, state: 0)
        let increment = bindActionCreators({ Count() }, dispatch: store.dispatch)
        let add = bindActionCreators({ Count(payload: $0 + $1) }, dispatch: store.dispatch)
        increment()
        add(2, 3)
        #expect(store.state == 6)
    }

    @Test func `a bound type makes its action from a payload, from nil its default`() {
        let store = createStore(countReducer, state: 0)
        let count = bindActionCreators(Count.self, dispatch: store.dispatch)
        count(nil)
        count(4)
        #expect(store.state == 5)
    }

    @Test func `actions are bound to a ReSwift store as well`() {
        let store = Store<Int>(reducer: { countReducer(state: $1, action: $0) }, state: 0)
        let count = bindActionCreators(Count.self, dispatch: store.dispatch)
        count(2)
        #expect(store.state == 2)
    }

    // MARK: Flux Standard Actions

    @Test func `a standard action knows its type and its payload`() {
        let action: any FluxStandardAction = Count(payload: 3)
        #expect(action.type == "Count")
        #expect(action.payload as? Int == 3)
        #expect(!action.error)
    }
}
