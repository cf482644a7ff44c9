/// How a ``Router`` goes on after a ``RoutingError``.
public enum RoutingRecovery: Sendable {
    /// Take the step for done and go on.
    ///
    /// After a push or change it must be known who is responsible for what is inside the new
    /// element: a routable with a completion handler has said so already; an asynchronous one is
    /// cancelled and given the time of one more time-out to return it.
    case proceed

    /// Try the same step again; the error handler is asked again if it fails again.
    case retry

    /// Leave what is shown as it is and go on when a route is set the next time, from there.
    case stop
}
