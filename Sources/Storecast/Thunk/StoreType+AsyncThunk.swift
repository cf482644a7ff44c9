extension StoreType {
    /// Runs an asynchronous thunk and waits for its end.
    ///
    /// It runs on the caller's actor, which must be the store's. Cancelling the calling task
    /// cancels what the thunk waits for.
    ///
    /// - Returns: what the thunk returns.
    /// - Throws: what the thunk throws. What it had dispatched until then stays in effect.
    @discardableResult
    public nonisolated(nonsending) func dispatch<Output>(
        _ thunk: AsyncThunk<State, Output>
    ) async throws -> Output {
        try await thunk({ self.dispatch($0) }, { self.state })
    }
}
