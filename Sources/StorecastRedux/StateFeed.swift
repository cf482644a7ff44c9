/// Passes the states of a stream on to one asynchronous sequence.
final class StateFeed<State: Sendable> {
    private let output: AsyncStream<State>.Continuation
    private var subscription: (any ReduxDisposable)?

    private init(_ output: AsyncStream<State>.Continuation) {
        self.output = output
    }

    deinit {
        // Its only owner is the subscription, so there are no more states to come.
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
        // Nobody reads any more. That can't be told earlier: the reader may be on any thread.
        if case .terminated = output.yield(state) { subscription?.dispose() }
    }
}
