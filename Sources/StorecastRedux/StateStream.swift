/// Where a store made by ``createStreamStore(_:reducer:state:)`` keeps its state and tells of it.
public struct StateStream<State> {
    /// Makes a state the current one and passes it to the subscribers.
    public let dispatch: (State) -> Void
    /// Has a function called with each new state until it is disposed of.
    public let subscribe: (@escaping (State) -> Void) -> any ReduxDisposable
    /// Answers the current state.
    public let getState: () -> State

    /// Makes a stream of its functions.
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
