/// A link of the chain in Redux's form. It is called once, when the store is created.
public typealias ReduxMiddleware<State> = (MiddlewareApi<State>) -> DispatchTransformer

/// What a middleware returns for a store: a function that wraps the next link of the chain.
public typealias DispatchTransformer = (@escaping ReduxDispatch) -> ReduxDispatch

/// Creates stores, as ``createStore(_:state:)`` does.
public typealias StoreCreator<State> = (@escaping ReduxReducer<State>, State?) -> ReduxStore<State>

/// Extends a store creator.
public typealias StoreEnhancer<State> = (@escaping StoreCreator<State>) -> StoreCreator<State>

/// What a middleware can do with its store.
public struct MiddlewareApi<State> {
    /// Sends an action through the whole chain from its start.
    ///
    /// It doesn't keep the store alive, and returns the action when the store is gone. It must not
    /// be called before the chain is complete.
    public let dispatch: ReduxDispatch
    /// Returns the current state.
    public let getState: () -> State

    /// Creates the interface from its functions.
    public init(dispatch: @escaping ReduxDispatch, getState: @escaping () -> State) {
        self.dispatch = dispatch
        self.getState = getState
    }
}

/// Creates a store enhancer that puts middleware before the reducer, in this order.
///
/// ```swift
/// let store = applyMiddleware([logging])(createStore)(reducer, nil)
/// ```
public func applyMiddleware<State>(
    _ middleware: [ReduxMiddleware<State>]
) -> StoreEnhancer<State> {
    { create in
        { reducer, state in
            let store = create(reducer, state)
            let chain = DispatchChain()
            // Weak: a middleware keeps this function, and the chain keeps the middleware.
            let api = MiddlewareApi(
                dispatch: { [weak chain] action in chain?.dispatch(action) ?? action },
                getState: store.getState)
            chain.dispatch = compose(middleware.map { $0(api) })(store.dispatch)
            return ReduxStore(
                dispatch: { chain.dispatch($0) }, subscribe: store.subscribe,
                getState: store.getState)
        }
    }
}

/// Creates a store enhancer that puts middleware before the reducer, in this order.
public func applyMiddleware<State>(
    _ middleware: ReduxMiddleware<State>...
) -> StoreEnhancer<State> {
    applyMiddleware(middleware)
}

/// The chain of middleware of one store.
private final class DispatchChain {
    var dispatch: ReduxDispatch = { action in
        // fatalError and not a precondition: the message must show in release builds too.
        fatalError("\(action) was dispatched by a middleware before the chain was complete.")
    }
}

/// Combines functions into one: the last is applied first, its result goes to the one before it,
/// and so on. Of no functions it makes the identity.
public func compose<Value>(_ functions: [(Value) -> Value]) -> (Value) -> Value {
    { value in functions.reversed().reduce(value) { $1($0) } }
}

/// Combines functions into one: `compose(f, g)(x)` is `f(g(x))`.
public func compose<Value>(_ functions: ((Value) -> Value)...) -> (Value) -> Value {
    compose(functions)
}
