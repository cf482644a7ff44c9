/// A route as the key of a dictionary.
///
/// Two are equal if their routes have the same elements; an element that contains a slash is not
/// taken for two.
public struct RouteHash: Hashable, Sendable {
    private let route: Route

    /// Makes the key of `route`.
    public init(route: Route) {
        self.route = route
    }
}
