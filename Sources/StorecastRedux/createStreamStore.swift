/// Makes a store whose states go through a stream of your own, such as that of a reactive library.
///
/// - Parameters:
///   - createStream: makes the stream from the first state; if not given, ``createSimpleStream(_:)``.
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

/// Makes a store creator, to be enhanced, whose states go through a stream of your own.
public func createStreamStore<State>(
    _ createStream: @escaping (State) -> StateStream<State>
) -> StoreCreator<State> {
    { reducer, state in createStreamStore(createStream, reducer: reducer, state: state) }
}
