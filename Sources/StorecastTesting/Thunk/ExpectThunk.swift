public import Storecast

/// Checks, without a store, which actions a thunk dispatches and that it asks for the state.
///
/// ```swift
/// try ExpectThunk(loadFilms(from: service))
///     .getsState(Films(isLoading: false))
///     .dispatches(LoadingBegan())                 // compared if it is Equatable
///     .dispatches { action in #expect(action is FilmsLoaded) }
///     .run()                                      // or: try await … .wait()
/// ```
///
/// Failures are thrown, see ``ThunkExpectations``.
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

    /// Runs a thunk that continues after it has returned, on the caller's actor; waits until the
    /// last expected action has come, for `timeout` at most.
    ///
    /// An action that comes later than the last one expected isn't noticed.
    ///
    /// - Throws: ``ExpectThunkFailure``.
    @discardableResult
    public nonisolated(nonsending) func wait(
        timeout: Duration = .seconds(1), clock: any Clock<Duration> = ContinuousClock(),
        fileID: StaticString = #fileID, line: Int = #line
    ) async throws -> Self {
        // Whichever comes first ends the wait: the last action, the timer, or cancellation.
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

/// Checks, without a store, which actions an `AsyncThunk` dispatches and that it asks for the
/// state.
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
