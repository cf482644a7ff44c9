public import Observation
public import Storecast

/// A part of a store's state that SwiftUI, or anything else that tracks observable values, watches.
///
/// ```swift
/// struct Count: View {
///     @State var count = store.observed(\.count)
///     var body: some View {
///         Button("\(count.value)") { count.dispatch(Increase()) }
///     }
/// }
/// ```
///
/// It subscribes when it is created, until it is released, and keeps the store alive. Like the
/// store it isn't Sendable: it belongs to the same actor or thread.
@Observable
public final class ObservedStore<Value>: DispatchingStoreType {
    /// The current value; reading it is tracked.
    ///
    /// It changes when the store notifies its subscribers. Repeats of an Equatable value are left
    /// out if the store skips repeats.
    public private(set) var value: Value

    @ObservationIgnored private let store: any DispatchingStoreType
    @ObservationIgnored private let listener: Listener<Value>

    /// Observes the result of `selector`. The store must have a state.
    public init<Source: StoreType>(
        _ store: Source, select selector: @escaping (Source.State) -> Value
    ) {
        let listener = Listener<Value>()
        store.subscribe(listener) { $0.select(selector) }
        guard let first = listener.first.take() else {
            preconditionFailure("A store without a state can't be observed.")
        }
        self.store = store
        self.listener = listener
        value = first
        listener.receive = { [unowned self] in value = $0 }
    }

    /// Observes the part of the state at `path`. The store must have a state.
    public convenience init<Source: StoreType>(
        _ store: Source, select path: KeyPath<Source.State, Value>
    ) {
        self.init(store, select: { $0[keyPath: path] })
    }

    /// Sends an action to the store; see ``/Storecast/Store/dispatch(_:)-(Action)``.
    public func dispatch(_ action: any Action) {
        store.dispatch(action)
    }
}

extension StoreType {
    /// The part of the state at `path` as an observable object. The store must have a state.
    public func observed<Value>(_ path: KeyPath<State, Value>) -> ObservedStore<Value> {
        ObservedStore(self, select: path)
    }

    /// The result of `selector` as an observable object. The store must have a state.
    public func observed<Value>(_ selector: @escaping (State) -> Value) -> ObservedStore<Value> {
        ObservedStore(self, select: selector)
    }
}

/// Subscribes on behalf of an object that is observed, which so needs no public `newState`.
final class Listener<Value>: StoreSubscriber {
    /// What came before `receive` was set.
    var first: Value?
    var receive: ((Value) -> Void)?

    func newState(state: Value) {
        if let receive { receive(state) } else { first = state }
    }
}
