import Storecast
import Testing

/// Something without an equality of its own.
private struct Repository {
    var name: String
}

private struct AppState {
    var repositories: [Repository] = []
    var filter = ""
    var unread: Int?
}

private enum AppAction: Action {
    case setRepositories([String])
    case setFilter(String)
    case setUnread(Int?)
}

private func reduce(_ state: inout AppState, _ action: any Action) {
    switch action as? AppAction {
    case .setRepositories(let names): state.repositories = names.map(Repository.init)
    case .setFilter(let filter): state.filter = filter
    case .setUnread(let unread): state.unread = unread
    case nil: break
    }
}

/// A view that keeps what it was shown.
private final class Screen<Content>: StoreSubscriber {
    private(set) var shown: [Content] = []

    func newState(state: Content) {
        shown.append(state)
    }
}

/// ReSwift's filtered subscriptions, in Swift 6.
struct FilteredSubscriptionsTests {
    private let store = Store(state: AppState(), reducer: reduce)

    @Test func `a selection that is Equatable skips repeats by itself`() {
        let screen = Screen<String>()
        store.subscribe(screen) { $0.select(\.filter) }
        store.dispatch(AppAction.setFilter("swift"))
        store.dispatch(AppAction.setFilter("swift"))
        store.dispatch(AppAction.setUnread(1))
        #expect(screen.shown == ["", "swift"])
    }

    @Test func `a predicate says what a repeat is where there is no equality`() {
        let screen = Screen<[Repository]>()
        store.subscribe(screen) {
            $0.select(\.repositories).skip(when: { old, new in old.count == new.count })
        }
        store.dispatch(AppAction.setRepositories(["storecast"]))
        store.dispatch(AppAction.setRepositories(["storecast"]))
        store.dispatch(AppAction.setFilter("x"))
        #expect(screen.shown.map { $0.map(\.name) } == [[], ["storecast"]])
    }

    @Test func `the first state is delivered whatever the filter says of it`() {
        let screen = Screen<Int?>()
        store.dispatch(AppAction.setUnread(0))
        store.subscribe(screen) { $0.select(\.unread).only(when: { $0 != 0 }) }
        store.dispatch(AppAction.setUnread(3))
        store.dispatch(AppAction.setUnread(0))
        #expect(screen.shown == [0, 3])
    }

    @Test func `automatic skipping can be turned off and skipRepeats asked for`() {
        let store = Store(
            state: AppState(), automaticallySkipsRepeats: false, reducer: reduce)
        let each = Screen<String>()
        let changes = Screen<String>()
        store.subscribe(each) { $0.select(\.filter) }
        store.subscribe(changes) { $0.select(\.filter).skipRepeats() }
        store.dispatch(AppAction.setUnread(1))
        store.dispatch(AppAction.setFilter("x"))
        #expect(each.shown == ["", "", "x"])
        #expect(changes.shown == ["", "x"])
    }
}
