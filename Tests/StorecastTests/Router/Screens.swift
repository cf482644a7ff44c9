import Storecast

/// What the screens of one app were asked for, and how they behave.
final class Screens {
    /// In order: when each step begins and ends.
    private(set) var log: [String] = []
    /// The actor that the routables belong to.
    private unowned let owner: any Actor
    /// Is called with each step's name when it begins, before it is done.
    var onStep: (String) async throws -> Void = { _ in }

    init(of owner: any Actor) {
        self.owner = owner
    }

    func perform(_ name: String, _ animated: Bool) async throws {
        log.append(animated ? name : "\(name) still")
        owner.preconditionIsolated()
        try await onStep(name)
        owner.preconditionIsolated()
        log.append("\(name) done")
    }

    /// The steps that were begun.
    var begun: [String] { log.filter { !$0.hasSuffix(" done") } }
}

/// A routable with the asynchronous methods.
final class Screen: Routable {
    private let name: String
    private let screens: Screens

    init(_ name: String = "root", in screens: Screens) {
        self.name = name
        self.screens = screens
    }

    func push(_ element: RouteElement, animated: Bool) async throws -> any Routable {
        try await screens.perform("\(name)+\(element)", animated)
        return Screen(element, in: screens)
    }

    func pop(_ element: RouteElement, animated: Bool) async throws {
        try await screens.perform("\(name)-\(element)", animated)
    }

    func change(
        _ from: RouteElement, to: RouteElement, animated: Bool
    ) async throws -> any Routable {
        try await screens.perform("\(name):\(from)>\(to)", animated)
        return Screen(to, in: screens)
    }
}

/// A state and its store, as an app with a router has them.
struct TravelState: HasNavigationState {
    var navigationState = NavigationState()
    var visits = 0
}

struct Visit: Action {}

func makeTravelStore(_ route: Route? = nil) -> Store<TravelState> {
    let store = Store(state: TravelState()) { state, action in
        NavigationReducer.reduce(&state, action)
        if action is Visit { state.visits += 1 }
    }
    if let route { store.dispatch(SetRouteAction(route)) }
    return store
}
