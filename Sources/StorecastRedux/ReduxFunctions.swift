/// A function that takes an action and returns what became of it: as a rule the same action.
public typealias ReduxDispatch = (any Action) -> any Action

/// A pure function from the state before an action to the state after it, in Redux's order of
/// arguments. The state is nil when the store asks for its first one.
public typealias ReduxReducer<State> = (_ state: State?, _ action: any Action) -> State

/// What a middleware is for its store: a function that wraps the next link of the chain.
public typealias DispatchTransformer = (@escaping ReduxDispatch) -> ReduxDispatch

/// A link of the chain in Redux's form. It is called once, when the store is made.
public typealias ReduxMiddleware<State> = (MiddlewareApi<State>) -> DispatchTransformer

/// Makes stores, as ``createStore(_:state:)`` does.
public typealias StoreCreator<State> = (@escaping ReduxReducer<State>, State?) -> ReduxStore<State>

/// Makes a better store creator of one.
public typealias StoreEnhancer<State> = (@escaping StoreCreator<State>) -> StoreCreator<State>
