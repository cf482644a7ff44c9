/// A function that takes an action on its way to the reducer.
public typealias DispatchFunction = (any Action) -> Void

/// A link of the chain that every action passes before the reducer sees it.
///
/// It is called once when the chain is built, with `dispatch`, which sends an action through the
/// whole chain from its start, and `getState`, and returns a function that wraps the next link:
///
/// ```swift
/// let logging: Middleware<AppState> = { dispatch, getState in
///     { next in
///         { action in
///             print(action)
///             next(action)
///         }
///     }
/// }
/// ```
///
/// A link may stop an action, change it, or dispatch others. `dispatch` and `getState` don't keep
/// the store alive: when it is gone the one does nothing and the other answers nil.
public typealias Middleware<State> =
    (@escaping DispatchFunction, @escaping () -> State?) ->
    (@escaping DispatchFunction) -> DispatchFunction
