import Storecast
import Testing

private struct AppState: HasNavigationState {
    var navigationState = NavigationState()
}

/// What all screens together show.
private final class Window {
    var shown: [String] = []
    var log: [String] = []
}

/// A place in the app that can show others inside it: views would be made here.
private final class Screen: Routable {
    private let window: Window

    init(in window: Window) {
        self.window = window
    }

    func push(_ element: RouteElement, animated: Bool) async -> any Routable {
        await Task.yield()  // the transition
        window.shown.append(element)
        window.log.append(animated ? "+\(element), slowly" : "+\(element)")
        return Screen(in: window)
    }

    func pop(_ element: RouteElement, animated: Bool) async {
        await Task.yield()
        window.shown.removeLast()
        window.log.append("-\(element)")
    }

    func change(_ from: RouteElement, to: RouteElement, animated: Bool) async -> any Routable {
        await Task.yield()
        window.shown[window.shown.endIndex - 1] = to
        window.log.append("\(from)>\(to)")
        return Screen(in: window)
    }
}

/// ReSwift-Router's routes, in Swift 6.
@Suite(.timeLimit(.minutes(30)))
@MainActor struct RoutingTests {
    private let store = Store(state: AppState(), reducer: NavigationReducer.reduce)
    private let window = Window()
    private let router: Router<AppState>

    init() {
        router = Router(store: store, rootRoutable: Screen(in: window))
    }

    @Test func `the screens are asked for what leads from one route to the next`() async {
        store.dispatch(SetRouteAction(["home"], animated: false))
        await router.settle()
        store.dispatch(SetRouteAction(["home", "user"]))
        await router.settle()
        store.dispatch(SetRouteAction(["home", "settings"]))
        await router.settle()
        store.dispatch(SetRouteAction([]))
        await router.settle()
        #expect(
            window.log == ["+home", "+user, slowly", "user>settings", "-settings", "-home"])
    }

    @Test func `of several routes set during a transition the last one counts`() async {
        store.dispatch(SetRouteAction(["home", "user"]))
        store.dispatch(SetRouteAction(["home", "settings"]))
        store.dispatch(SetRouteAction(["home", "help"]))
        await router.settle()
        #expect(window.shown == ["home", "help"])
        #expect(router.shownRoute == ["home", "help"])
    }

    @Test func `data is kept for its route`() {
        store.dispatch(SetRouteSpecificData(route: ["home", "user"], data: 7))
        let user: Int? = store.state.navigationState.getRouteSpecificState(["home", "user"])
        #expect(user == 7)
    }
}
