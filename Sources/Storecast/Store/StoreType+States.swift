extension StoreType {
    /// The values that `selector` makes of the state: the current one, then every change.
    ///
    /// ```swift
    /// for await count in store.states(of: \.cards.count) { … }
    /// ```
    ///
    /// States are not events: a slow reader gets the newest value and misses those in between,
    /// unless `buffering` says otherwise. Repeats of an Equatable value are left out if the store
    /// skips repeats. The subscription begins with this call and ends when the stream is no longer
    /// read or its task is cancelled. The stream ends with the store, after the last value. It
    /// doesn't keep the store alive.
    ///
    /// The stream may be read on any actor, by one reader: call this once for each.
    ///
    /// - Parameters:
    ///   - selector: a pure function, run on the store's actor or thread once per change.
    ///   - buffering: which values are kept for a slow reader.
    public func states<Selected: Sendable>(
        of selector: @escaping (State) -> Selected,
        buffering: AsyncStream<Selected>.Continuation.BufferingPolicy = .bufferingNewest(1)
    ) -> AsyncStream<Selected> {
        let (stream, continuation) = AsyncStream.makeStream(
            of: Selected.self, bufferingPolicy: buffering)
        let end = StreamEnd(continuation)
        subscribe(StreamSubscriber(continuation)) {
            $0.select { state in withExtendedLifetime(end) { selector(state) } }
        }
        return stream
    }

    /// The values at `path`: the current one, then every change; see ``states(of:buffering:)``.
    public func states<Selected: Sendable>(
        of path: KeyPath<State, Selected>,
        buffering: AsyncStream<Selected>.Continuation.BufferingPolicy = .bufferingNewest(1)
    ) -> AsyncStream<Selected> {
        states(of: { $0[keyPath: path] }, buffering: buffering)
    }
}

/// Forwards states to a stream.
///
/// The stream holds it, and the store doesn't, as with any subscriber: when the stream is no longer
/// read, this goes, and the subscription with it.
private final class StreamSubscriber<Value: Sendable>: StoreSubscriber, Sendable {
    private let continuation: AsyncStream<Value>.Continuation

    init(_ continuation: AsyncStream<Value>.Continuation) {
        self.continuation = continuation
        // A reference cycle, which the stream breaks when it ends by releasing the closure.
        continuation.onTermination = { [self] _ in withExtendedLifetime(self) {} }
    }

    func newState(state: Value) {
        continuation.yield(state)
    }
}

/// Ends a stream when the subscription that holds it goes, at the latest with the store.
private final class StreamEnd<Value: Sendable>: Sendable {
    private let continuation: AsyncStream<Value>.Continuation

    init(_ continuation: AsyncStream<Value>.Continuation) {
        self.continuation = continuation
    }

    deinit {
        continuation.finish()
    }
}
