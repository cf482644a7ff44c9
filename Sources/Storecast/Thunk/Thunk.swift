/// An action that is a piece of code: it looks at the state and dispatches other actions.
///
/// The middleware that ``createThunkMiddleware()`` creates runs it; no reducer sees it.
///
/// ```swift
/// func select(_ card: Card.ID) -> Thunk<Board> {
///     Thunk { dispatch, getState in
///         guard getState()?.cards[card] != nil else { return }
///         dispatch(SelectCard(id: card))
///     }
/// }
/// store.dispatch(select(card))
/// ```
///
/// A body that waits for something is an ``AsyncThunk``.
public struct Thunk<State>: Action {
    /// What a thunk does. `dispatch` sends an action through the whole chain; `getState` returns
    /// the state at the time of the call. Both may be kept, and don't keep the store alive.
    public typealias Body = (
        _ dispatch: @escaping DispatchFunction, _ getState: @escaping () -> State?
    ) -> Void

    private let body: Body

    /// Creates a thunk from its body.
    public init(body: @escaping Body) {
        self.body = body
    }

    /// Runs the body, as the middleware does and another thunk may.
    public func callAsFunction(
        _ dispatch: @escaping DispatchFunction, _ getState: @escaping () -> State?
    ) {
        body(dispatch, getState)
    }
}

/// Creates the middleware that runs thunks.
///
/// A ``Thunk`` of this state's type is run and goes no further; every other action passes. Links
/// before this one see the thunk, links after it don't.
public func createThunkMiddleware<State>() -> Middleware<State> {
    { dispatch, getState in
        { next in
            { action in
                if let thunk = action as? Thunk<State> {
                    thunk(dispatch, getState)
                } else {
                    next(action)
                }
            }
        }
    }
}
