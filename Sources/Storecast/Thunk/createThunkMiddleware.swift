/// Makes the middleware that runs thunks.
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
