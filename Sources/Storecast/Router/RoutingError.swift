/// Why a step on the way to a route could not be done.
public struct RoutingError: Error, Sendable {
    /// What kind of thing went wrong.
    public struct Kind: Hashable, Sendable {
        private enum Code { case timedOut, unsupported, failed }
        private let code: Code

        /// The routable has not finished, or has not called the completion handler, in time.
        public static let timedOut = Kind(code: .timedOut)
        /// The routable has no implementation of this step, or it isn't known who is responsible
        /// for it, because the step before was taken for done.
        public static let unsupported = Kind(code: .unsupported)
        /// The routable has thrown an error: ``RoutingError/underlying``.
        public static let failed = Kind(code: .failed)
    }

    /// What kind of thing went wrong.
    public let kind: Kind
    /// The step that was not done.
    public let step: RoutingStep
    /// What is shown: the route as far as it is there.
    public let shownRoute: Route
    /// Where the router was going. The state may ask for another route by now.
    public let targetRoute: Route
    /// What the routable has thrown.
    public let underlying: (any Error)?

    /// What a router does that has no error handler: what wasn't completed in time is taken for
    /// done, as in ReSwift-Router, and after other errors it stops.
    public var recovery: RoutingRecovery { kind == .timedOut ? .proceed : .stop }
}

extension RoutingError {
    /// Makes the error from the outcome of the call; nil means that there was none in time.
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
            default: "failed: \(underlying.map { "\($0)" } ?? "for a reason unknown")"
            }
        return "The step \(step) from \(shownRoute) to \(targetRoute) \(problem)"
    }
}
