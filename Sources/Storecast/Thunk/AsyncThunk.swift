/// A piece of code that looks at the state, waits for things and dispatches actions. Whoever
/// dispatches it can wait for its end, result or error.
///
/// ```swift
/// func loadFilms(from service: FilmService) -> AsyncThunk<Films, Int> {
///     AsyncThunk { dispatch, getState in
///         dispatch(LoadingBegan())
///         let films = try await service.films()
///         dispatch(FilmsLoaded(films))
///         return films.count
///     }
/// }
/// let count = try await store.dispatch(loadFilms(from: service))
/// ```
///
/// It runs on the actor of its caller, which is the store's own: between two `await`s nobody else
/// uses the store, and after one `getState` returns the newest state. It isn't an ``Action``, so it
/// needs no middleware and none can stop it. What it dispatches passes through the whole chain.
public struct AsyncThunk<State, Output> {
    /// What an asynchronous thunk does.
    public typealias Body =
        nonisolated(nonsending) (
            _ dispatch: @escaping DispatchFunction, _ getState: @escaping () -> State?
        ) async throws -> Output

    private let body: Body

    /// Creates a thunk from its body.
    public init(body: @escaping Body) {
        self.body = body
    }

    /// Runs the body on the caller's actor. This is how one thunk runs another.
    public nonisolated(nonsending) func callAsFunction(
        _ dispatch: @escaping DispatchFunction, _ getState: @escaping () -> State?
    ) async throws -> Output {
        try await body(dispatch, getState)
    }
}

extension StoreType {
    /// Runs an asynchronous thunk and waits for its end.
    ///
    /// It runs on the caller's actor, which must be the store's. Cancelling the calling task
    /// cancels what the thunk waits for.
    ///
    /// - Returns: what the thunk returns.
    /// - Throws: what the thunk throws. What it dispatched before that stays in effect.
    @discardableResult
    public nonisolated(nonsending) func dispatch<Output>(
        _ thunk: AsyncThunk<State, Output>
    ) async throws -> Output {
        try await thunk({ self.dispatch($0) }, { self.state })
    }
}
