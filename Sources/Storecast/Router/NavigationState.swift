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

    /// Counts how often the route was set, so that a router can tell a route that is set once more,
    /// to try again, from the same one seen again.
    private(set) var routeChanges: UInt64 = 0

    /// Makes a state with the empty route.
    public init() {}

    /// The data stored for `route` if there is some of the type asked for, nil otherwise.
    public func getRouteSpecificState<Value>(_ route: Route) -> Value? {
        routeSpecificState[RouteHash(route: route)] as? Value
    }

    /// Whether the route was not set between this state and the other.
    func isSameNavigation(as other: NavigationState) -> Bool {
        routeChanges == other.routeChanges && route == other.route
            && changeRouteAnimated == other.changeRouteAnimated
    }
}
