/// Where a router is going.
struct NavigatorTarget {
    let route: Route
    let animated: Bool
    /// Tells the times that a route was set apart.
    let number: UInt64
}
