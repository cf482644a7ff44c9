/// Ends a stream when the subscription that holds it goes, at the latest with the store.
final class StreamEnd<Value: Sendable>: Sendable {
    private let continuation: AsyncStream<Value>.Continuation

    init(_ continuation: AsyncStream<Value>.Continuation) {
        self.continuation = continuation
    }

    deinit {
        continuation.finish()
    }
}
