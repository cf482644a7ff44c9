/// A piece of code that looks at the state, waits for things and dispatches actions, and whose end,
/// result or error the one who dispatches it can wait for.
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
/// It runs on the actor of whoever dispatches it, the store's own; between two of its `await`s
/// nobody else uses the store, and after one `getState` answers the newest state. It isn't an
/// ``Action``: no middleware has to be there, and none can swallow it. What it dispatches passes
/// through the whole chain.
public struct AsyncThunk<State, Output> {
    /// What an asynchronous thunk does.
    public typealias Body =
        nonisolated(nonsending) (
            _ dispatch: @escaping DispatchFunction, _ getState: @escaping () -> State?
        ) async throws -> Output

    let body: Body

    /// Makes a thunk of its body.
    public init(body: @escaping Body) {
        self.body = body
    }

    /// Runs the body on the caller's actor: how one thunk makes use of another.
    public nonisolated(nonsending) func callAsFunction(
        _ dispatch: @escaping DispatchFunction, _ getState: @escaping () -> State?
    ) async throws -> Output {
        try await body(dispatch, getState)
    }
}
