package import Storecast

// snippet: routable
@MainActor final class TabScreen: @MainActor Routable {
    private(set) var children: [RouteElement] = []

    @MainActor func push(_ element: RouteElement, animated: Bool) async -> any Routable {
        children.append(element)  // show it, and return when it is there
        return TabScreen()
    }

    @MainActor func pop(_ element: RouteElement, animated: Bool) async {
        children.removeLast()
    }
}
// end of snippet

/// Shows the basket, and answers what is kept for it.
@MainActor package func showBasket() async -> (route: Route, article: Int?) {
    let root = TabScreen()
    // snippet: router
    let store = Store(state: ShopState(), reducer: shopReducer)
    let router = Router(store: store, rootRoutable: root, timeout: .seconds(2)) { error in
        print(error)  // names the step and the routes
        return error.recovery
    }
    store.dispatch(SetRouteAction(["tabs", "basket"], animated: false))
    await router.settle()
    // end of snippet

    // snippet: route-data
    store.dispatch(SetRouteSpecificData(route: ["tabs", "basket"], data: 7))
    let article: Int? = store.state.navigationState.getRouteSpecificState(["tabs", "basket"])
    // end of snippet
    return (router.shownRoute, article)
}
