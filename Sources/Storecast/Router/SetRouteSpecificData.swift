/// Stores data for a route, in the place of what was stored for it before.
///
/// Read it with ``NavigationState/getRouteSpecificState(_:)``.
public struct SetRouteSpecificData: Action, Sendable {
    /// The whole route, from the outermost element. It need not be the one shown.
    public let route: Route
    /// What is stored.
    public let data: any Sendable

    /// Makes the action.
    public init(route: Route, data: any Sendable) {
        self.route = route
        self.data = data
    }
}
