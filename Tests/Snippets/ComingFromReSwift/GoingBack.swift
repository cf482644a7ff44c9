package import Storecast

// snippet: swiped-back
@MainActor final class BasketStack: @MainActor Routable {
    private(set) var screens: [RouteElement] = []

    @MainActor func push(_ element: RouteElement, animated: Bool) async -> any Routable {
        screens.append(element)
        return BasketStack()
    }

    @MainActor func pop(_ element: RouteElement, animated: Bool) async {
        guard screens.last == element else { return }  // the user was faster
        screens.removeLast()
    }

    /// What the navigation controller's delegate calls in `didShow`, with how many screens are left.
    func didGoBack(to count: Int, in store: Store<ShopState>) {
        guard count < screens.count else { return }
        let gone = screens.count - count
        screens.removeLast(gone)
        let route = store.state.navigationState.route
        store.dispatch(SetRouteAction(Array(route.dropLast(gone)), animated: false))
    }
}
// end of snippet

/// Goes back by hand from two screens to one, and answers what is shown and what the state says.
@MainActor package func swipeBack() async -> (shown: Route, route: Route) {
    let stack = BasketStack()
    let store = Store(state: ShopState(), reducer: shopReducer)
    let router = Router(store: store, rootRoutable: stack)
    store.dispatch(SetRouteAction(["basket"], animated: false))
    await router.settle()
    stack.didGoBack(to: 0, in: store)
    await router.settle()
    return (router.shownRoute, store.state.navigationState.route)
}
