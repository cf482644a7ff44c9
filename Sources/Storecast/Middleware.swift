/// A function that takes an action on its way to the reducer.
public typealias DispatchFunction = (any Action) -> Void

/// Something that takes actions, without its state.
///
/// Use it where code only needs to dispatch.
public protocol DispatchingStoreType {
    /// Sends an action through the middleware to the reducer.
    func dispatch(_ action: any Action)
}

/// A link of the chain that every action passes before it reaches the reducer.
///
/// It is called once, when the chain is built, and returns a function that wraps the next link. It
/// is given `dispatch`, which sends an action through the whole chain from its start, and
/// `getState`:
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
/// the store alive: once it is gone, `dispatch` does nothing and `getState` returns nil.
public typealias Middleware<State> =
    (@escaping DispatchFunction, @escaping () -> State?) ->
    (@escaping DispatchFunction) -> DispatchFunction
