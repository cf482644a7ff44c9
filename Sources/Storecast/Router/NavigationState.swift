/// The part of a state that says where in the app the user is.
///
/// ``NavigationReducer`` changes it and a ``Router`` shows it.
public struct NavigationState: Sendable {
    /// Where the user is to be. What the router has shown so far is ``Router/shownRoute``.
    public var route: Route = [] {
        didSet { routeChanges &+= 1 }
    }

    /// What was stored for routes with ``SetRouteSpecificData``. It stays when the user leaves.
    public var routeSpecificState: [RouteHash: any Sendable] = [:]

    /// Whether the change to ``route`` is to be animated.
    public var changeRouteAnimated = true

    /// Counts how often the route was set. So a router notices when the same route is set once
    /// more, to try again.
    private var routeChanges: UInt64 = 0

    /// Creates a state with the empty route.
    public init() {}

    /// The data stored for `route`; nil if there is none of the type asked for.
    public func getRouteSpecificState<Value>(_ route: Route) -> Value? {
        routeSpecificState[RouteHash(route: route)] as? Value
    }

    /// Whether the route was not set between this state and the other.
    func isSameNavigation(as other: NavigationState) -> Bool {
        routeChanges == other.routeChanges && route == other.route
            && changeRouteAnimated == other.changeRouteAnimated
    }
}

/// A state that contains a navigation state.
public protocol HasNavigationState {
    /// Where in the app the user is.
    var navigationState: NavigationState { get set }
}

/// A route as a dictionary key.
///
/// Two are equal if their routes have the same elements; an element that contains a slash differs
/// from two elements.
public struct RouteHash: Hashable, Sendable {
    private let route: Route

    /// Creates the key of `route`.
    public init(route: Route) {
        self.route = route
    }
}

/// Makes the app show another route.
public struct SetRouteAction: Action, Codable, Equatable, Sendable {
    /// The whole route, from the outermost element.
    public let route: Route
    /// Whether the change is to be animated.
    public let animated: Bool

    /// Creates the action; the route is absolute.
    public init(_ route: Route, animated: Bool = true) {
        self.route = route
        self.animated = animated
    }
}

/// Stores data for a route, replacing what was stored for it before.
///
/// Read it with ``NavigationState/getRouteSpecificState(_:)``.
public struct SetRouteSpecificData: Action, Sendable {
    /// The whole route, from the outermost element. It need not be the one shown.
    public let route: Route
    /// What is stored.
    public let data: any Sendable

    /// Creates the action.
    public init(route: Route, data: any Sendable) {
        self.route = route
        self.data = data
    }
}

/// The reducer of a ``NavigationState``, to be called from the reducer of the state it is part of.
public enum NavigationReducer {
    /// The navigation state after `action`; nil as the state stands for the empty route.
    public static func handleAction(
        _ action: any Action, state: NavigationState?
    ) -> NavigationState {
        var state = state ?? NavigationState()
        reduce(&state, action)
        return state
    }

    /// Changes a navigation state in place, as ``InPlaceReducer`` does.
    public static func reduce(_ state: inout NavigationState, _ action: any Action) {
        switch action {
        case let action as SetRouteAction:
            state.route = action.route
            state.changeRouteAnimated = action.animated
        case let action as SetRouteSpecificData:
            state.routeSpecificState[RouteHash(route: action.route)] = action.data
        default: break
        }
    }

    /// Changes the navigation state of any state that has one.
    public static func reduce(_ state: inout some HasNavigationState, _ action: any Action) {
        // Checked first: an action that isn't for this reducer must not even touch the state.
        guard action is SetRouteAction || action is SetRouteSpecificData else { return }
        reduce(&state.navigationState, action)
    }
}
