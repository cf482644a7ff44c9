public import Storecast

/// Checks which actions an `AsyncThunk` dispatches, and that it asks for the state, without a
/// store.
///
/// ```swift
/// let count = try await ExpectAsyncThunk(loadFilms(from: service))
///     .dispatches(LoadingBegan())
///     .dispatches { action in #expect(action is FilmsLoaded) }
///     .run()
/// ```
public final class ExpectAsyncThunk<State, Output>: ThunkExpectations<State> {
    private let thunk: AsyncThunk<State, Output>

    /// Expects nothing of `thunk` yet.
    public init(_ thunk: AsyncThunk<State, Output>) {
        self.thunk = thunk
    }

    /// Runs the thunk to its end, on the caller's actor.
    ///
    /// - Returns: what the thunk returns.
    /// - Throws: ``ExpectThunkFailure`` if an expectation failed; otherwise what the thunk throws.
    @discardableResult
    public nonisolated(nonsending) func run(
        fileID: StaticString = #fileID, line: Int = #line
    ) async throws -> Output {
        let place = SourcePlace(fileID, line)
        let output: Output
        do {
            output = try await thunk(dispatch, getState)
        } catch {
            try finish(place, error: error)
            throw error
        }
        try finish(place)
        return output
    }
}
