/// Makes a store enhancer that puts middleware before the reducer, in this order.
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

/// Makes a store enhancer that puts middleware before the reducer, in this order.
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
