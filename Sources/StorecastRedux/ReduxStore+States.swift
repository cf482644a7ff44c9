extension StateStream where State: Sendable {
    /// The current state and those that follow, for one reader, which may be on any actor.
    ///
    /// It ends with the stream. A reader that stops is unsubscribed at the next state.
    ///
    /// - Parameter buffering: what a slow reader gets; if not given, the newest state.
    public func states(
        buffering: AsyncStream<State>.Continuation.BufferingPolicy = .bufferingNewest(1)
    ) -> AsyncStream<State> {
        StateFeed.states(buffering: buffering, current: getState(), subscribe: subscribe)
    }
}

extension ReduxStore where State: Sendable {
    /// The current state and those that follow, for one reader, which may be on any actor.
    ///
    /// It ends with the store. A reader that stops is unsubscribed at the next state.
    ///
    /// - Parameter buffering: what a slow reader gets; if not given, the newest state.
    public func states(
        buffering: AsyncStream<State>.Continuation.BufferingPolicy = .bufferingNewest(1)
    ) -> AsyncStream<State> {
        StateFeed.states(buffering: buffering, current: getState(), subscribe: subscribe)
    }
}
