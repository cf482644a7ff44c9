import Storecast
import Testing

@Suite(.timeLimit(.minutes(30)))
@MainActor struct FilmsTests {
    private let store = Store<FilmsState>(reducer: filmsReducer, state: nil)

    @Test func `an action creator shows that it loads, then what it got`() async {
        let lists = await listsUntilLoaded { store.dispatch(fetchFilms(named: "Gozilla")) }
        #expect(lists == [.none, .loading, .films([Film(title: "Gozilla returns")])])
    }

    @Test func `a failure is a state too`() async {
        let lists = await listsUntilLoaded { store.dispatch(fetchFilms(named: "")) }
        #expect(lists == [.none, .loading, .failed])
    }

    @Test func `an action creator may decide to do nothing`() {
        store.dispatch(LogOut())
        store.dispatch(fetchFilms(named: "Gozilla"))
        #expect(store.state.list == .none)
    }

    @Test func `an asynchronous action creator calls back with the new state`() async {
        let list = await withCheckedContinuation { continuation in
            store.dispatch(searchFilms) { state in continuation.resume(returning: state.list) }
        }
        #expect(list == .films([Film(title: "Alien returns")]))
    }

    private func listsUntilLoaded(_ start: () -> Void) async -> [FilmList] {
        let screen = FilmsViewController()
        await withCheckedContinuation { continuation in
            screen.whenLoaded = { continuation.resume() }
            store.subscribe(screen) { $0.select { $0.list } }
            start()
        }
        return screen.lists
    }
}

private class FilmsViewController: UIViewController, StoreSubscriber {
    var lists: [FilmList] = []
    var whenLoaded = {}

    func newState(state: FilmList) {
        lists.append(state)
        if state != .none && state != .loading { whenLoaded() }
    }
}
