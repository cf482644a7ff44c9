/// Makes a store in the shape of Redux.
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
