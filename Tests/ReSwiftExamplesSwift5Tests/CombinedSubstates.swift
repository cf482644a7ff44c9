import Storecast

struct User: Equatable {
    var name: String
}

struct ShopState {
    var user: User?
    var basket: [String] = []
    var visitors = 0
}

struct LogIn: Action {
    var name: String
}

struct AddToBasket: Action {
    var article: String
}

struct CountVisitor: Action {}

func shopReducer(action: Action, state: ShopState?) -> ShopState {
    return ShopState(
        user: userReducer(action: action, user: state?.user),
        basket: basketReducer(action: action, basket: state?.basket),
        visitors: (state?.visitors ?? 0) + (action is CountVisitor ? 1 : 0)
    )
}

func userReducer(action: Action, user: User?) -> User? {
    if let action = action as? LogIn { return User(name: action.name) }
    return user
}

func basketReducer(action: Action, basket: [String]?) -> [String] {
    var basket = basket ?? []
    if let action = action as? AddToBasket { basket.append(action.article) }
    return basket
}

struct CheckoutState: Equatable {
    let greeting: String
    let articles: Int

    init(state: ShopState) {
        greeting = "Hello, \(state.user?.name ?? "stranger")"
        articles = state.basket.count
    }
}

class CheckoutViewController: UIViewController, StoreSubscriber {
    var shown: [String] = []

    func appear(with store: Store<ShopState>) {
        store.subscribe(self) { $0.select(CheckoutState.init) }
    }

    func newState(state: CheckoutState) {
        shown.append("\(state.greeting): \(state.articles)")
    }
}
