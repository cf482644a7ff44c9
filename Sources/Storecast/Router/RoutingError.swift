/// Why a step on the way to a route could not be done.
public struct RoutingError: Error, Sendable {
    /// What kind of problem it is.
    public struct Kind: Hashable, Sendable {
        private enum Code { case timedOut, unsupported, failed }
        private let code: Code

        /// The routable did not finish, or call the completion handler, in time.
        public static let timedOut = Kind(code: .timedOut)
        /// The routable doesn't implement this step; or no routable is known for it, because the
        /// step before was taken as done.
        public static let unsupported = Kind(code: .unsupported)
        /// The routable threw an error: ``RoutingError/underlying``.
        public static let failed = Kind(code: .failed)
    }

    /// What kind of problem it is.
    public let kind: Kind
    /// The step that was not done.
    public let step: RoutingStep
    /// The part of the route that is shown.
    public let shownRoute: Route
    /// Where the router was going. The state may ask for another route by now.
    public let targetRoute: Route
    /// The error that the routable threw.
    public let underlying: (any Error)?

    /// What a router without an error handler does: it takes a step that wasn't completed in time
    /// as done, like ReSwift-Router, and stops after any other error.
    public var recovery: RoutingRecovery { kind == .timedOut ? .proceed : .stop }

    /// Creates the error from the result of the call; nil means that there was none in time.
    init(
        step: RoutingStep, shownRoute: Route, targetRoute: Route,
        result: Result<(any Routable)?, any Error>?
    ) {
        var underlying: (any Error)?
        switch result {
        case .failure(is UnsupportedByRoutable): kind = .unsupported
        case .failure(let thrown):
            kind = .failed
            underlying = thrown
        default: kind = .timedOut
        }
        self.underlying = underlying
        self.step = step
        self.shownRoute = shownRoute
        self.targetRoute = targetRoute
    }
}

extension RoutingError: CustomStringConvertible {
    /// A sentence for a log.
    public var description: String {
        let problem =
            switch kind {
            case .timedOut: "was not completed in time; was the completion handler called?"
            case .unsupported: "has no routable that can do it"
            default: "failed: \(underlying.map { "\($0)" } ?? "for an unknown reason")"
            }
        return "The step \(step) from \(shownRoute) to \(targetRoute) \(problem)"
    }
}

/// How a ``Router`` goes on after a ``RoutingError``.
public enum RoutingRecovery: Sendable {
    /// Take the step as done and go on.
    ///
    /// After a push or change the router needs the routable for what is inside the new element. A
    /// routable with a completion handler has returned it already; an asynchronous one is cancelled
    /// and has the time of one more time-out to return it.
    case proceed

    /// Try the same step again; if it fails again, the error handler is asked again.
    case retry

    /// Leave what is shown as it is. When a route is set the next time, go on from there.
    case stop
}
