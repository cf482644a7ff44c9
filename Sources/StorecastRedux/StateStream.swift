/// Where a store created by ``createStreamStore(_:reducer:state:)`` keeps its state and passes it
/// on.
public struct StateStream<State> {
    /// Makes a state the current one and passes it to the subscribers.
    public let dispatch: (State) -> Void
    /// Has a function called with each new state until it is disposed of.
    public let subscribe: (@escaping (State) -> Void) -> any ReduxDisposable
    /// Returns the current state.
    public let getState: () -> State

    /// Creates a stream from its functions.
    ///
    /// The disposables that `subscribe` returns should not keep the stream alive.
    public init(
        dispatch: @escaping (State) -> Void,
        subscribe: @escaping (@escaping (State) -> Void) -> any ReduxDisposable,
        getState: @escaping () -> State
    ) {
        self.dispatch = dispatch
        self.subscribe = subscribe
        self.getState = getState
    }
}

/// Creates the stream of a plain store.
///
/// Subscribers are called in the order in which they subscribed. If one dispatches, those after it
/// receive only the newest state.
public func createSimpleStream<State>(_ state: State) -> StateStream<State> {
    let stream = SimpleStream(state)
    return StateStream(
        dispatch: { stream.publish($0) }, subscribe: { stream.subscribe($0) },
        getState: { stream.state })
}

/// A state and the functions that are called with the next ones.
private final class SimpleStream<State> {
    private(set) var state: State
    private let list = SubscriptionList<State>()
    /// By the number of the subscription: the list holds its subscribers weakly.
    private var subscribers: [UInt64: FunctionSubscriber<State>] = [:]
    private var lastNumber: UInt64 = 0

    init(_ state: State) {
        self.state = state
    }

    func publish(_ state: State) {
        self.state = state
        list.notify(state)
    }

    /// The disposable has a number and not the subscriber, so that it keeps nothing alive.
    func subscribe(_ function: @escaping (State) -> Void) -> any ReduxDisposable {
        lastNumber += 1
        let number = lastNumber
        let subscriber = FunctionSubscriber(function)
        subscribers[number] = subscriber
        list.subscribe(subscriber, transform: nil, skipsRepeats: false, current: nil)
        return SimpleReduxDisposable(
            disposed: { [weak self] in self?.subscribers[number] == nil },
            dispose: { [weak self] in self?.remove(number) })
    }

    private func remove(_ number: UInt64) {
        guard let subscriber = subscribers.removeValue(forKey: number) else { return }
        list.unsubscribe(subscriber)
    }
}

/// A function that subscribes.
private final class FunctionSubscriber<State>: StoreSubscriber {
    private let function: (State) -> Void

    init(_ function: @escaping (State) -> Void) {
        self.function = function
    }

    func newState(state: State) {
        function(state)
    }
}

/// A subscription that can be ended.
public protocol ReduxDisposable {
    /// Whether the subscription has ended: its subscriber will not be called again.
    var disposed: Bool { get }

    /// Ends the subscription at once, even in a round of notifications. The second call does
    /// nothing.
    func dispose()
}

/// A disposable made of two functions; it can wrap one of another library.
public struct SimpleReduxDisposable: ReduxDisposable {
    private let isDisposed: () -> Bool
    private let end: () -> Void

    /// Creates a disposable.
    ///
    /// - Parameters:
    ///   - disposed: returns whether the subscription has ended.
    ///   - dispose: ends it.
    public init(disposed: @escaping () -> Bool, dispose: @escaping () -> Void) {
        isDisposed = disposed
        end = dispose
    }

    /// The result of the function `disposed`.
    public var disposed: Bool { isDisposed() }

    /// Calls the function `dispose`.
    public func dispose() {
        end()
    }
}
