/// What a middleware may do with its store.
public struct MiddlewareApi<State> {
    /// Sends an action through the whole chain from its start.
    ///
    /// It doesn't keep the store alive, and answers the action when that is gone. It must not be
    /// called before the chain is complete.
    public let dispatch: ReduxDispatch
    /// Answers the current state.
    public let getState: () -> State

    /// Makes an interface of its functions.
    public init(dispatch: @escaping ReduxDispatch, getState: @escaping () -> State) {
        self.dispatch = dispatch
        self.getState = getState
    }
}
