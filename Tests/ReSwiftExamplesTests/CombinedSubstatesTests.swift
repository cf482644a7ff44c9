import Storecast
import Testing

private struct AppState {
    var user: String?
    var basket: [String] = []
    var visitors = 0
}

private enum AppAction: Action {
    case logIn(String)
    case add(String)
    case countVisitor
}

private func userReducer(action: any Action, user: String?) -> String? {
    if case .logIn(let name)? = action as? AppAction { name } else { user }
}

private func basketReducer(action: any Action, basket: [String]?) -> [String] {
    guard case .add(let article)? = action as? AppAction else { return basket ?? [] }
    return (basket ?? []) + [article]
}

private func visitorsReducer(action: any Action, visitors: Int?) -> Int {
    if case .countVisitor? = action as? AppAction { (visitors ?? 0) + 1 } else { visitors ?? 0 }
}

private func appReducer(action: any Action, state: AppState?) -> AppState {
    AppState(
        user: userReducer(action: action, user: state?.user),
        basket: basketReducer(action: action, basket: state?.basket),
        visitors: visitorsReducer(action: action, visitors: state?.visitors))
}

/// What one screen needs of several parts of the state.
private struct Checkout: Equatable {
    let greeting: String
    let articles: Int

    init(state: AppState) {
        greeting = "Hello, \(state.user ?? "stranger")"
        articles = state.basket.count
    }
}

private final class CheckoutScreen: StoreSubscriber {
    private(set) var shown: [String] = []

    func newState(state: Checkout) {
        shown.append("\(state.greeting): \(state.articles)")
    }
}

/// Reducers of substates, and a subscription of several substates combined, in Swift 6.
struct CombinedSubstatesTests {
    @Test func `a subscription combines several substates and hears of those only`() {
        let store = Store(reducer: appReducer, state: nil)
        let screen = CheckoutScreen()
        store.subscribe(screen) { $0.select(Checkout.init) }
        store.dispatch(AppAction.countVisitor)
        store.dispatch(AppAction.add("tea"))
        store.dispatch(AppAction.countVisitor)
        store.dispatch(AppAction.logIn("Ada"))
        #expect(screen.shown == ["Hello, stranger: 0", "Hello, stranger: 1", "Hello, Ada: 1"])
        #expect(store.state.visitors == 2)
    }
}
