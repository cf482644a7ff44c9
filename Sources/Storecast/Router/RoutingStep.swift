/// One thing that has to be done to show another route: what a router asks a ``Routable`` for.
///
/// `depth` is the index of the element in its route. It is also the number of the routable that is
/// asked: the root routable, number 0, shows the outermost element.
public enum RoutingStep: Equatable, Sendable {
    /// An element is shown inside what is there.
    case push(RouteElement, depth: Int)
    /// The innermost element goes away.
    case pop(RouteElement, depth: Int)
    /// The innermost element gives way to another.
    case change(from: RouteElement, to: RouteElement, depth: Int)

    /// What leads from one route to another, in the order in which it has to be done. O(*n*).
    ///
    /// What the routes have in common stays. If both go on after it, the first elements that differ
    /// are a ``change(from:to:depth:)``; before it the rest of the old route is popped, from its
    /// end, and after it the rest of the new one is pushed.
    public static func steps(from old: Route, to new: Route) -> [RoutingStep] {
        let common = zip(old, new).prefix { $0 == $1 }.count
        let changes = min(old.count, new.count) > common
        let kept = changes ? common + 1 : common
        var steps: [RoutingStep] = []
        for depth in (kept..<old.count).reversed() {
            steps.append(.pop(old[depth], depth: depth))
        }
        if changes {
            steps.append(.change(from: old[common], to: new[common], depth: common))
        }
        for depth in kept..<new.count {
            steps.append(.push(new[depth], depth: depth))
        }
        return steps
    }

    /// The number of the routable that is asked for it, the root routable being number 0.
    public var depth: Int {
        switch self {
        case .push(_, let depth), .pop(_, let depth), .change(_, _, let depth): depth
        }
    }
}
