/// One reducer of several, each of which works on a part of the state of its own.
///
/// ```swift
/// let reducer = combineReducers(
///     AppState(), (\.counter, counterReducer), (\.films, filmsReducer))
/// ```
///
/// They run in this order. When the store asks for its first state, each is asked for its part's.
///
/// - Parameters:
///   - initial: has room for the parts and supplies what belongs to none of them.
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
