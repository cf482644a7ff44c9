extension StoreType {
    /// A function that decides, from the state, which action to dispatch, if any.
    public typealias ActionCreator = (_ state: State, _ store: Self) -> (any Action)?

    /// A function that finds out later what to dispatch and then calls back with an action creator.
    public typealias AsyncActionCreator = (
        _ state: State, _ store: Self,
        _ actionCreatorCallback: @escaping (_ creator: ActionCreator) -> Void
    ) -> Void

    /// A function that is called with the state that an asynchronously made action led to.
    public typealias DispatchCallback = (State) -> Void

    /// Asks `actionCreator` for an action and dispatches it, unless the answer is nil.
    ///
    /// The store must have a state.
    public func dispatch(_ actionCreator: ActionCreator) {
        if let action = actionCreator(state, self) {
            dispatch(action)
        }
    }

    /// Starts `asyncActionCreator`, which dispatches what it finds whenever it calls back.
    ///
    /// The store must have a state.
    public func dispatch(_ asyncActionCreator: AsyncActionCreator) {
        dispatch(asyncActionCreator, callback: nil)
    }

    /// Starts `asyncActionCreator` and tells `callback` the state after its first action.
    ///
    /// The creator may call back several times and each time have an action dispatched; `callback`
    /// is called once, or never if no action comes. The store must have a state.
    public func dispatch(_ asyncActionCreator: AsyncActionCreator, callback: DispatchCallback?) {
        var waiting = callback
        asyncActionCreator(state, self) { creator in
            guard let action = creator(self.state, self) else { return }
            self.dispatch(action)
            // Taken out before the call: the callback may make the creator call back again.
            waiting.take()?(self.state)
        }
    }
}
