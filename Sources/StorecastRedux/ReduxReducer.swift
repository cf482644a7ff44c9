/// A pure function from the state before an action to the state after it, in Redux's order of
/// arguments. The state is nil when the store asks for its first one.
public typealias ReduxReducer<State> = (_ state: State?, _ action: any Action) -> State

/// The action with which a Redux store that is given no state asks its reducer for the first one.
///
/// It doesn't pass through middleware.
public struct DefaultAction: Action {
    /// Creates the action; stores do this themselves.
    public init() {}
}

/// Combines several reducers into one, each for a different part of the state.
///
/// ```swift
/// let reducer = combineReducers(
///     AppState(), (\.counter, counterReducer), (\.films, filmsReducer))
/// ```
///
/// They run in this order. When the store asks for its first state, each is asked for its part.
///
/// - Parameters:
///   - initial: the state whose parts are replaced; supplies what belongs to none of the reducers.
///   - parts: where each part is in the state, and its reducer.
public func combineReducers<State, each Part>(
    _ initial: @autoclosure @escaping () -> State,
    _ parts: repeat (WritableKeyPath<State, each Part>, ReduxReducer<each Part>)
) -> ReduxReducer<State> {
    { state, action in
        var next = state ?? initial()
        for (path, reducer) in repeat each parts {
            next[keyPath: path] = reducer(state?[keyPath: path], action)
        }
        return next
    }
}
