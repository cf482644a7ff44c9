/// Shows the route that a store's state asks for.
///
/// ```swift
/// let router = Router(store: store, rootRoutable: root) { $0.select(\.navigationState) }
/// store.dispatch(SetRouteAction(["tabs", "statistics"]))
/// ```
///
/// It works out the ``RoutingStep``s from the route that is shown to the one that is to be shown,
/// and has the ``Routable``s take them one after the other. A route that is set meanwhile takes
/// effect after the step under way; of several the last counts. So the state's route is what is
/// shown in the end, by as few steps as possible from where the router was.
///
/// A router isn't Sendable: it belongs to the actor that creates it, as its store does, and calls
/// its routables there. Keep a reference to it as long as it is to work.
public final class Router<State>: StoreSubscriber {
    /// Selects the navigation state.
    public typealias NavigationStateTransform =
        (Subscription<State>) -> Subscription<NavigationState>

    private let navigator: Navigator
    private let unsubscribe: (Router) -> Void

    /// Creates a router and has it show the route that the state asks for now.
    ///
    /// - Parameters:
    ///   - store: the store with the navigation state.
    ///   - rootRoutable: shows the outermost element.
    ///   - timeout: how long a step may take, 3 seconds if not given.
    ///   - clock: measures it.
    ///   - isolation: the actor that the store, the routables and the router belong to.
    ///   - stateTransform: selects the navigation state.
    ///   - onError: decides how to go on after a step that wasn't done; if not given,
    ///     ``RoutingError/recovery`` decides. It may dispatch. ``lastError`` has the error too.
    public init<S: StoreType>(
        store: S, rootRoutable: any Routable,
        timeout: Duration = .seconds(3), clock: any Clock<Duration> = ContinuousClock(),
        isolation: isolated any Actor = #isolation,
        stateTransform: @escaping NavigationStateTransform,
        onError: @escaping (RoutingError) -> RoutingRecovery = \.recovery
    ) where S.State == State {
        navigator = Navigator(
            root: rootRoutable, timeout: timeout, clock: clock, onError: onError, owner: isolation)
        unsubscribe = { store.unsubscribe($0) }
        store.subscribe(self) { state in
            stateTransform(state).skipRepeats { $0.isSameNavigation(as: $1) }
        }
    }

    deinit {
        navigator.stop()
    }

    /// The elements that are shown.
    public var shownRoute: Route { navigator.shownRoute }

    /// Whether a step is under way or left to be taken.
    public var isRouting: Bool { navigator.isRunning }

    /// The last error since the route was set.
    public var lastError: RoutingError? { navigator.lastError }

    /// Waits until no step is under way or left to be taken.
    public func settle() async {
        await navigator.settle()
    }

    /// Unsubscribes and stops for good: the step under way is cancelled and no other begins.
    public func stop() {
        unsubscribe(self)
        navigator.stop()
    }

    /// Called by the store with the navigation state.
    public func newState(state: NavigationState) {
        navigator.go(to: state.route, animated: state.changeRouteAnimated)
    }
}

extension Router where State: HasNavigationState {
    /// Creates a router for the ``HasNavigationState/navigationState`` of the state; see
    /// ``init(store:rootRoutable:timeout:clock:isolation:stateTransform:onError:)``.
    public convenience init<S: StoreType>(
        store: S, rootRoutable: any Routable,
        timeout: Duration = .seconds(3), clock: any Clock<Duration> = ContinuousClock(),
        isolation: isolated any Actor = #isolation,
        onError: @escaping (RoutingError) -> RoutingRecovery = \.recovery
    ) where S.State == State {
        self.init(
            store: store, rootRoutable: rootRoutable, timeout: timeout, clock: clock,
            isolation: isolation, stateTransform: { $0.select(\.navigationState) },
            onError: onError)
    }
}
