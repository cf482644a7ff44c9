/// Passes states on to a stream.
///
/// The stream holds it and the store doesn't, like any subscriber: when nobody reads the stream any
/// more, this goes and with it the subscription.
final class StateRelay<Value: Sendable>: StoreSubscriber, Sendable {
    private let continuation: AsyncStream<Value>.Continuation

    init(_ continuation: AsyncStream<Value>.Continuation) {
        self.continuation = continuation
        // A cycle that the stream breaks when it ends: it lets go of the closure.
        continuation.onTermination = { [self] _ in withExtendedLifetime(self) {} }
    }

    func newState(state: Value) {
        continuation.yield(state)
    }
}
