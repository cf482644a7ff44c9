import Storecast
import Testing

/// Programs as ReSwift's guides teach to write them, with `any` where Swift 6 wants it.
///
/// Like an app they have one global store, which belongs to the main actor.
@MainActor
struct ReSwiftGuideTests {
    @Test func `the counter of the README`() {
        let view = CounterView()
        view.appear()
        #expect(view.label == "0")
        view.increase()
        view.increase()
        view.decrease()
        #expect(view.label == "1")
        view.disappear()
        view.increase()
        #expect(view.label == "1")
        #expect(counterStore.state.counter == 2)
    }

    @Test func `a filtered subscription shows its part of the state only`() {
        let store = Store(reducer: filmReducer, state: FilmState(), middleware: [])
        let list = FilmList()
        store.subscribe(list) { subscription in
            subscription.select { state in state.films }
        }
        store.dispatch(RateFilm(title: "Stalker", stars: 5))
        #expect(list.updates == 1)
        store.dispatch(AddFilm(title: "Solaris"))
        #expect(list.updates == 2)
        #expect(list.rows == ["Solaris"])
        store.unsubscribe(list)
        store.dispatch(AddFilm(title: "Mirror"))
        #expect(list.rows == ["Solaris"])
    }

    @Test func `an action creator asks for what the films lack`() {
        let store = Store(reducer: filmReducer, state: nil, middleware: [])
        let films = FilmActionCreators()
        store.dispatch(films.add("Stalker"))
        store.dispatch(films.add("Stalker"))
        #expect(store.state.films == ["Stalker"])
        store.dispatch(rateLastFilm)
        #expect(store.state.ratings == ["Stalker": 3])
    }

    @Test func `a logging middleware sees every action, the init action first`() {
        var log: [String] = []
        let loggingMiddleware: Middleware<Any> = { dispatch, getState in
            return { next in
                return { action in
                    log.append("\(type(of: action))")
                    return next(action)
                }
            }
        }
        let store = Store<FilmState>(
            reducer: filmReducer, state: nil, middleware: [loggingMiddleware])
        store.dispatch(AddFilm(title: "Solaris"))
        #expect(log == ["ReSwiftInit", "AddFilm"])
    }

    @Test func `a subscription of several substates combined`() {
        let store = Store(reducer: filmReducer, state: FilmState(), middleware: [])
        let view = FilmSummaryView()
        store.subscribe(view) { $0.select(FilmSummary.init) }
        store.dispatch(AddFilm(title: "Solaris"))
        store.dispatch(RateFilm(title: "Solaris", stars: 4))
        store.dispatch(RateFilm(title: "Solaris", stars: 5))
        #expect(
            view.shown.map(\.text) == ["0 films, 0 rated", "1 films, 0 rated", "1 films, 1 rated"])
    }

    @Test func `automatic skipping switched off and on again for one subscriber`() {
        let store = Store(
            reducer: filmReducer, state: FilmState(), middleware: [],
            automaticallySkipsRepeats: false)
        let all = FilmList()
        let changes = FilmList()
        store.subscribe(all) { $0.select { $0.films } }
        store.subscribe(changes) { $0.select { $0.films }.skip(when: ==) }
        store.dispatch(RateFilm(title: "Solaris", stars: 4))
        #expect(all.updates == 2)
        #expect(changes.updates == 1)
    }

    @Test func `code that only dispatches asks for a DispatchingStoreType`() {
        let store = Store(reducer: filmReducer, state: FilmState())
        let dispatching: any DispatchingStoreType = store
        dispatching.dispatch(AddFilm(title: "Mirror"))
        #expect(store.state.films == ["Mirror"])
    }
}

// MARK: The counter

private struct CounterState: StateType {
    var counter: Int = 0
}

private struct CounterActionIncrease: Action {}
private struct CounterActionDecrease: Action {}

private func counterReducer(action: any Action, state: CounterState?) -> CounterState {
    var state = state ?? CounterState()
    switch action {
    case _ as CounterActionIncrease: state.counter += 1
    case _ as CounterActionDecrease: state.counter -= 1
    default: break
    }
    return state
}

@MainActor private let counterStore = Store<CounterState>(reducer: counterReducer, state: nil)

@MainActor
private final class CounterView: StoreSubscriber {
    var label = ""

    func appear() { counterStore.subscribe(self) }
    func disappear() { counterStore.unsubscribe(self) }
    func increase() { counterStore.dispatch(CounterActionIncrease()) }
    func decrease() { counterStore.dispatch(CounterActionDecrease()) }
    func newState(state: CounterState) { label = "\(state.counter)" }
}

// MARK: Films, composed of two reducers

private struct FilmState {
    var films: [String] = []
    var ratings: [String: Int] = [:]
}

private struct AddFilm: Action { let title: String }

private struct RateFilm: Action {
    let title: String
    let stars: Int
}

private func filmReducer(action: any Action, state: FilmState?) -> FilmState {
    FilmState(
        films: titlesReducer(action, state?.films),
        ratings: ratingsReducer(action, state?.ratings))
}

private func titlesReducer(_ action: any Action, _ films: [String]?) -> [String] {
    var films = films ?? []
    if let add = action as? AddFilm { films.append(add.title) }
    return films
}

private func ratingsReducer(_ action: any Action, _ ratings: [String: Int]?) -> [String: Int] {
    var ratings = ratings ?? [:]
    if let rate = action as? RateFilm { ratings[rate.title] = rate.stars }
    return ratings
}

private struct FilmActionCreators {
    typealias ActionCreator = (_ state: FilmState, _ store: Store<FilmState>) -> (any Action)?

    func add(_ title: String) -> ActionCreator {
        { state, _ in state.films.contains(title) ? nil : AddFilm(title: title) }
    }
}

private func rateLastFilm(state: FilmState, store: Store<FilmState>) -> (any Action)? {
    guard let title = state.films.last else { return nil }
    return RateFilm(title: title, stars: 3)
}

private final class FilmList: StoreSubscriber {
    var rows: [String] = []
    var updates = 0

    func newState(state: [String]) {
        rows = state
        updates += 1
    }
}

private struct FilmSummary: Equatable {
    let text: String

    init(state: FilmState) {
        text = "\(state.films.count) films, \(state.ratings.count) rated"
    }
}

private final class FilmSummaryView: StoreSubscriber {
    var shown: [FilmSummary] = []

    func newState(state: FilmSummary) { shown.append(state) }
}
