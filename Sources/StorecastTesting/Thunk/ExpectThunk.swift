public import Storecast

/// Checks which actions a thunk dispatches, and that it asks for the state, without a store.
///
/// ```swift
/// try ExpectThunk(loadFilms(from: service))
///     .getsState(Films(isLoading: false))
///     .dispatches(LoadingBegan())                 // compared if it is Equatable
///     .dispatches { action in #expect(action is FilmsLoaded) }
///     .run()                                      // or: try await … .wait()
/// ```
///
/// What fails is thrown, see ``ThunkExpectations``.
public final class ExpectThunk<State>: ThunkExpectations<State> {
    private let thunk: Thunk<State>

    /// Expects nothing of `thunk` yet.
    public init(_ thunk: Thunk<State>) {
        self.thunk = thunk
    }

    /// Runs a thunk that does everything before it returns.
    ///
    /// - Throws: ``ExpectThunkFailure``.
    @discardableResult
    public func run(fileID: StaticString = #fileID, line: Int = #line) throws -> Self {
        thunk(dispatch, getState)
        try finish(SourcePlace(fileID, line))
        return self
    }

    /// Runs a thunk that goes on, on the caller's actor, after it has returned; waits until the
    /// last expected action has come, for `timeout` at most.
    ///
    /// An action that comes after the last one expected, and later than that, isn't noticed.
    ///
    /// - Throws: ``ExpectThunkFailure``.
    @discardableResult
    public nonisolated(nonsending) func wait(
        timeout: Duration = .seconds(1), clock: any Clock<Duration> = ContinuousClock(),
        fileID: StaticString = #fileID, line: Int = #line
    ) async throws -> Self {
        // Whichever comes first ends the wait: everything dispatched, the timer, or cancellation.
        let (ends, end) = AsyncStream.makeStream(of: Void.self)
        whenAllDispatched = { end.yield() }
        thunk(dispatch, getState)
        if awaitsActions {
            let timer = Task {
                try await clock.sleep(for: timeout)
                end.yield()
            }
            for await _ in ends { break }
            timer.cancel()
        }
        try finish(SourcePlace(fileID, line))
        return self
    }
}
