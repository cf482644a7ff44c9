extension StoreType {
    /// The values that `selector` makes of the state: the current one and then every change.
    ///
    /// ```swift
    /// for await count in store.states(of: \.cards.count) { … }
    /// ```
    ///
    /// States are not events: who is slow to read gets the newest value, and the ones between are
    /// left out, unless `buffering` says otherwise. Repeats of an Equatable value are left out if
    /// the store does that. The subscription begins at this call and ends when nobody reads the
    /// stream any more or its task is cancelled; the stream ends with the store, after the last
    /// value. It doesn't keep the store alive.
    ///
    /// The stream may be read on any actor, by one reader: call this once for each.
    ///
    /// - Parameters:
    ///   - selector: a pure function, run on the store's actor or thread once per change.
    ///   - buffering: which values wait for a slow reader.
    public func states<Selected: Sendable>(
        of selector: @escaping (State) -> Selected,
        buffering: AsyncStream<Selected>.Continuation.BufferingPolicy = .bufferingNewest(1)
    ) -> AsyncStream<Selected> {
        let (stream, continuation) = AsyncStream.makeStream(
            of: Selected.self, bufferingPolicy: buffering)
        let end = StreamEnd(continuation)
        subscribe(StateRelay(continuation)) {
            $0.select { state in withExtendedLifetime(end) { selector(state) } }
        }
        return stream
    }

    /// The values at `path`: the current one and then every change; see ``states(of:buffering:)``.
    public func states<Selected: Sendable>(
        of path: KeyPath<State, Selected>,
        buffering: AsyncStream<Selected>.Continuation.BufferingPolicy = .bufferingNewest(1)
    ) -> AsyncStream<Selected> {
        states(of: { $0[keyPath: path] }, buffering: buffering)
    }
}
