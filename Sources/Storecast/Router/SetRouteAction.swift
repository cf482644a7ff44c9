/// Has the app show another route.
public struct SetRouteAction: Action, Codable, Equatable, Sendable {
    /// The whole route, from the outermost element.
    public let route: Route
    /// Whether the change is to be animated.
    public let animated: Bool

    /// Makes the action; the route is absolute.
    public init(_ route: Route, animated: Bool = true) {
        self.route = route
        self.animated = animated
    }
}
