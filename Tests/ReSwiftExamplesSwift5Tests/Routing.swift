import Storecast

struct NavigatingState: StateType {
    var navigationState: NavigationState
}

func navigatingReducer(action: Action, state: NavigatingState?) -> NavigatingState {
    return NavigatingState(
        navigationState: NavigationReducer.handleAction(action, state: state?.navigationState)
    )
}

let homeRoute: RouteElement = "Home"
let userRoute: RouteElement = "User"
let settingsRoute: RouteElement = "Settings"

class RootRoutable: Routable {
    let window: Window

    init(window: Window) {
        self.window = window
    }

    func push(
        _ element: RouteElement, animated: Bool, completion: @escaping RoutingCompletion
    ) -> Routable {
        if element == homeRoute {
            window.log.append("root shows \(element)")
            completion()
            return HomeRoutable(window: window)
        }
        fatalError("Cannot handle this route change!")
    }
}

class HomeRoutable: Routable {
    let window: Window

    init(window: Window) {
        self.window = window
    }

    func push(
        _ element: RouteElement, animated: Bool, completion: @escaping RoutingCompletion
    ) -> Routable {
        present(element, animated: animated, completion: completion)
        return DetailRoutable()
    }

    func pop(_ element: RouteElement, animated: Bool, completion: @escaping RoutingCompletion) {
        window.log.append("home hides \(element)")
        completion()
    }

    func change(
        _ from: RouteElement, to: RouteElement, animated: Bool,
        completion: @escaping RoutingCompletion
    ) -> Routable {
        window.log.append("home replaces \(from)")
        present(to, animated: animated, completion: completion)
        return DetailRoutable()
    }

    private func present(
        _ element: RouteElement, animated: Bool, completion: @escaping RoutingCompletion
    ) {
        window.log.append("home shows \(element)\(animated ? " slowly" : "")")
        completion()
    }
}

class DetailRoutable: Routable {}

class Window {
    var log: [String] = []
}

class AppDelegate: UIResponder {
    var window = Window()
    var store = Store<NavigatingState>(reducer: navigatingReducer, state: nil)
    var router: Router<NavigatingState>!

    func applicationDidFinishLaunching() {
        router = Router(store: store, rootRoutable: RootRoutable(window: window)) { state in
            state.select { $0.navigationState }
        }
        store.dispatch(SetRouteAction([homeRoute], animated: false))
    }

    func userTapped(id: Int) {
        store.dispatch(SetRouteSpecificData(route: [homeRoute, userRoute], data: id))
        store.dispatch(SetRouteAction([homeRoute, userRoute]))
    }

    func settingsTapped() {
        store.dispatch(SetRouteAction([homeRoute, settingsRoute]))
    }

    func backTapped() {
        store.dispatch(SetRouteAction([homeRoute], animated: false))
    }
}
