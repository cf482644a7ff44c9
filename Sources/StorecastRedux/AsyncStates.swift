extension ReduxStore where State: Sendable {
    /// The current state and those that follow, for one reader, which may be on any actor.
    ///
    /// The sequence ends with the store. A reader that stops is unsubscribed at the next state.
    ///
    /// - Parameter buffering: what a slow reader receives; if not given, the newest state.
    public func states(
        buffering: AsyncStream<State>.Continuation.BufferingPolicy = .bufferingNewest(1)
    ) -> AsyncStream<State> {
        StateFeed.states(buffering: buffering, current: getState(), subscribe: subscribe)
    }
}

extension StateStream where State: Sendable {
    /// The current state and those that follow, for one reader, which may be on any actor.
    ///
    /// The sequence ends with the stream. A reader that stops is unsubscribed at the next state.
    ///
    /// - Parameter buffering: what a slow reader receives; if not given, the newest state.
    public func states(
        buffering: AsyncStream<State>.Continuation.BufferingPolicy = .bufferingNewest(1)
    ) -> AsyncStream<State> {
        StateFeed.states(buffering: buffering, current: getState(), subscribe: subscribe)
    }
}

/// Passes states on to one asynchronous sequence.
private final class StateFeed<State: Sendable> {
    private let output: AsyncStream<State>.Continuation
    private var subscription: (any ReduxDisposable)?

    private init(_ output: AsyncStream<State>.Continuation) {
        self.output = output
    }

    deinit {
        // The subscription was the only owner, so no more states will come.
        output.finish()
    }

    /// The current state and those that follow.
    static func states(
        buffering: AsyncStream<State>.Continuation.BufferingPolicy, current: State,
        subscribe: (@escaping (State) -> Void) -> any ReduxDisposable
    ) -> AsyncStream<State> {
        let (states, output) = AsyncStream.makeStream(of: State.self, bufferingPolicy: buffering)
        let feed = StateFeed(output)
        output.yield(current)
        feed.subscription = subscribe { feed.pass($0) }
        return states
    }

    private func pass(_ state: State) {
        // Nobody reads any more. This can't be noticed earlier: the reader may be on any thread.
        if case .terminated = output.yield(state) { subscription?.dispose() }
    }
}
