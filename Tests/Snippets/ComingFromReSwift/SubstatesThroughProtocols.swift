import Storecast

// snippet: has-basket
protocol HasBasket {
    var basket: [String] { get set }
}

struct AddToBasket: Action {
    var article: String
}

func reduceBasket(_ state: inout some HasBasket, _ action: any Action) {
    if let add = action as? AddToBasket { state.basket.append(add.article) }
}

final class BasketView: StoreSubscriber {
    private(set) var count = 0

    func appear<S: StoreType>(_ store: S) where S.State: HasBasket {
        store.subscribe(self) { $0.select(\.basket.count) }
    }

    func newState(state: Int) {
        count = state
    }
}
// end of snippet

// snippet: combined-reducer
struct ShopState: HasBasket, HasNavigationState {
    var basket: [String] = []
    var visitors = 0
    var navigationState = NavigationState()
}

struct CountVisitor: Action {}

@MainActor let shopReducer = CombinedReducer<ShopState> {
    Reduce(reduceBasket)  // any state with a basket
    Reduce(NavigationReducer.reduce)  // any state with a navigation state
    Reduce(\.visitors) { visitors, action in  // a part, by key path
        if action is CountVisitor { visitors += 1 }
    }
}
// end of snippet

/// Two visitors, one of whom buys something.
@MainActor package func visitShop() -> (visitors: Int, basket: [String], shown: Int) {
    let store = Store(state: ShopState(), reducer: shopReducer)
    let view = BasketView()
    view.appear(store)
    store.dispatch(CountVisitor())
    store.dispatch(CountVisitor())
    store.dispatch(AddToBasket(article: "tea"))
    return (store.state.visitors, store.state.basket, view.count)
}
