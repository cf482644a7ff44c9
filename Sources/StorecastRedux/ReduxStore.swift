/// A function that takes an action and returns a result: as a rule the same action.
public typealias ReduxDispatch = (any Action) -> any Action

/// A store in the shape of Redux: three functions.
///
/// Created by ``createStore(_:state:)``, or by an enhancer from the functions of another store.
/// Like a `Store` it isn't Sendable and belongs to the actor or thread that created it.
public struct ReduxStore<State> {
    /// Returns the current state.
    public let getState: () -> State
    private let take: ReduxDispatch
    private let add: (@escaping (State) -> Void) -> any ReduxDisposable

    /// Creates a store from its functions.
    ///
    /// - Parameters:
    ///   - dispatch: takes an action and returns it, or what a middleware makes of it.
    ///   - subscribe: has a function called with each new state until it is disposed of.
    ///   - getState: returns the current state.
    public init(
        dispatch: @escaping ReduxDispatch,
        subscribe: @escaping (@escaping (State) -> Void) -> any ReduxDisposable,
        getState: @escaping () -> State
    ) {
        take = dispatch
        add = subscribe
        self.getState = getState
    }

    /// The current state.
    public var state: State { getState() }

    /// Sends an action through the middleware to the reducer; returns the result of the first link,
    /// or the action itself if there is no middleware.
    ///
    /// A reducer that dispatches ends the program with a message that names the action.
    @discardableResult
    public func dispatch(_ action: any Action) -> any Action {
        take(action)
    }

    /// Has `subscriber` called with every state from the next one on, until it is disposed of. The
    /// current state isn't passed on, and equal states are not skipped.
    @discardableResult
    public func subscribe(_ subscriber: @escaping (State) -> Void) -> any ReduxDisposable {
        add(subscriber)
    }
}

/// Creates a store in the shape of Redux.
///
/// ```swift
/// let store = createStore(counter)
/// let subscription = store.subscribe { print($0) }
/// store.dispatch(Increment())
/// subscription.dispose()
/// ```
///
/// - Parameters:
///   - reducer: makes the next state.
///   - state: the first state; if nil, the reducer supplies it, asked with a ``DefaultAction``.
public func createStore<State>(
    _ reducer: @escaping ReduxReducer<State>, state: State? = nil
) -> ReduxStore<State> {
    createStreamStore(reducer: reducer, state: state)
}

/// Creates a store whose states go through a stream of your own, such as that of a reactive
/// library.
///
/// - Parameters:
///   - createStream: creates the stream from the first state; if not given,
///     ``createSimpleStream(_:)``.
///   - reducer: makes the next state.
///   - state: the first state; if nil, the reducer supplies it, asked with a ``DefaultAction``.
public func createStreamStore<State>(
    _ createStream: (State) -> StateStream<State> = createSimpleStream,
    reducer: @escaping ReduxReducer<State>, state: State? = nil
) -> ReduxStore<State> {
    let stream = createStream(state ?? reducer(nil, DefaultAction()))
    var isReducing = false
    return ReduxStore(
        dispatch: { action in
            if isReducing {
                // fatalError and not a precondition: the message must show in release builds too.
                fatalError(
                    """
                    \(action) was dispatched while another action was being reduced: reducers must \
                    not dispatch.
                    """)
            }
            isReducing = true
            let state = reducer(stream.getState(), action)
            isReducing = false
            stream.dispatch(state)
            return action
        }, subscribe: stream.subscribe, getState: stream.getState)
}

/// Creates a store creator, to be enhanced, whose states go through a stream of your own.
public func createStreamStore<State>(
    _ createStream: @escaping (State) -> StateStream<State>
) -> StoreCreator<State> {
    { reducer, state in createStreamStore(createStream, reducer: reducer, state: state) }
}
