/// Shows the route that a store's state asks for.
///
/// ```swift
/// let router = Router(store: store, rootRoutable: root) { $0.select(\.navigationState) }
/// store.dispatch(SetRouteAction(["tabs", "statistics"]))
/// ```
///
/// It works out the ``RoutingStep``s from what is shown to what is to be shown and has the
/// ``Routable``s take them one after the other, each when the one before is done. A route that is
/// set meanwhile takes effect after the step under way; of several the last counts. So what is
/// shown always ends up as the state's route, by as few steps as there are from where it was.
///
/// A router isn't Sendable: it belongs to the actor that makes it, as its store does, and calls
/// its routables there. Keep it as long as it is to work.
public final class Router<State>: StoreSubscriber {
    /// Selects the navigation state.
    public typealias NavigationStateTransform =
        (Subscription<State>) -> Subscription<NavigationState>

    private let navigator: Navigator
    private let unsubscribe: (Router) -> Void

    /// Makes a router and has it show the route that the state asks for now.
    ///
    /// - Parameters:
    ///   - store: whose state is followed.
    ///   - rootRoutable: shows the outermost element.
    ///   - timeout: how long a step may take, 3 seconds if not given.
    ///   - clock: measures it.
    ///   - isolation: the actor that the store, the routables and the router belong to.
    ///   - stateTransform: selects the navigation state.
    ///   - onError: decides what to do about a step that isn't done; if not given,
    ///     ``RoutingError/recovery`` is done. It may dispatch. ``lastError`` shows the error too.
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

    /// The elements that have been shown so far.
    public var shownRoute: Route { navigator.shownRoute }

    /// Whether there are steps to take or one is under way.
    public var isRouting: Bool { navigator.isRunning }

    /// What went wrong last since the route was last set.
    public var lastError: RoutingError? { navigator.lastError }

    /// Waits until no step is under way and none is to be taken.
    public func settle() async {
        await navigator.settle()
    }

    /// Leaves the store and gives up for good: the step under way is cancelled and no other begins.
    public func stop() {
        unsubscribe(self)
        navigator.stop()
    }

    /// Takes the navigation state from the store.
    public func newState(state: NavigationState) {
        navigator.go(to: state.route, animated: state.changeRouteAnimated)
    }
}

extension Router where State: HasNavigationState {
    /// Makes a router that follows the state's own navigation state; see
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
