import Storecast
import Testing

private enum Films: Equatable {
    case none
    case loading
    case loaded([String])
    case failed
}

private struct AppState {
    var films = Films.none
    var isLoggedIn = true
}

private struct SetFilms: Action {
    let films: Films
}

private struct LogOut: Action {}

private func reduce(_ state: inout AppState, _ action: any Action) {
    switch action {
    case let action as SetFilms: state.films = action.films
    case is LogOut: state.isLoggedIn = false
    default: break
    }
}

/// A web service, which answers when the test says so.
private final class FilmService {
    private var waiting: [([String]?) -> Void] = []

    func films(then answer: @escaping ([String]?) -> Void) {
        waiting.append(answer)
    }

    func answer(_ titles: [String]?) {
        for answer in waiting { answer(titles) }
        waiting = []
    }
}

/// Decides from the state whether to fetch, says that it loads, and dispatches what comes.
private func fetchFilms(from service: FilmService) -> Store<AppState>.ActionCreator {
    { state, store in
        guard state.isLoggedIn else { return nil }
        service.films { titles in
            store.dispatch(SetFilms(films: titles.map { .loaded($0) } ?? .failed))
        }
        return SetFilms(films: .loading)
    }
}

/// Finds out later what to dispatch.
private func findFilms(from service: FilmService) -> Store<AppState>.AsyncActionCreator {
    { _, _, callback in
        service.films { titles in
            callback { state, _ in
                state.isLoggedIn ? titles.map { SetFilms(films: .loaded($0)) } : nil
            }
        }
    }
}

private final class FilmScreen: StoreSubscriber {
    private(set) var shown: [Films] = []

    func newState(state: Films) {
        shown.append(state)
    }
}

/// ReSwift's action creators, in Swift 6.
struct FilmsTests {
    private let store = Store(state: AppState(), reducer: reduce)
    private let service = FilmService()
    private let screen = FilmScreen()

    init() {
        store.subscribe(screen) { $0.select(\.films) }
    }

    @Test(arguments: [["Solaris"], nil])
    func `an action creator shows that it loads, then what came`(titles: [String]?) {
        store.dispatch(fetchFilms(from: service))
        service.answer(titles)
        #expect(screen.shown == [.none, .loading, titles.map { .loaded($0) } ?? .failed])
    }

    @Test func `an action creator may decide to do nothing`() {
        store.dispatch(LogOut())
        store.dispatch(fetchFilms(from: service))
        #expect(screen.shown == [.none])
    }

    @Test func `an asynchronous action creator calls back once, with the new state`() {
        var states: [Films] = []
        store.dispatch(findFilms(from: service)) { state in states.append(state.films) }
        service.answer(["Solaris"])
        service.answer(["Solaris"])
        #expect(states == [.loaded(["Solaris"])])
    }
}
