/// One step of the way to a place in an app, such as `"users"`.
public typealias RouteElement = String

/// The way to a place in an app, from the outermost element to the innermost, like the path of a
/// URL. The empty route is where an app is before anything was shown.
public typealias Route = [RouteElement]

/// One change on the way from one route to another: what a router asks a ``Routable`` to do.
///
/// `depth` is the index of the element in its route. It is also the number of the routable that is
/// asked: the root routable, number 0, shows the outermost element.
public enum RoutingStep: Equatable, Sendable {
    /// An element is shown inside the innermost one.
    case push(RouteElement, depth: Int)
    /// The innermost element is removed.
    case pop(RouteElement, depth: Int)
    /// The innermost element is replaced by another.
    case change(from: RouteElement, to: RouteElement, depth: Int)

    /// The steps that lead from one route to another, in the order in which to take them. O(*n*).
    ///
    /// What the routes have in common stays. If both have more elements after that, the first of
    /// these is replaced with a ``change(from:to:depth:)``; before it, the rest of the old route is
    /// popped from its end, and after it, the rest of the new one is pushed.
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

    /// The number of the routable that is asked to do it; the root routable is number 0.
    public var depth: Int {
        switch self {
        case .push(_, let depth), .pop(_, let depth), .change(_, _, let depth): depth
        }
    }

    /// Whether it shows a new element, which needs a routable for what is inside it.
    var hasChild: Bool {
        if case .pop = self { false } else { true }
    }
}
