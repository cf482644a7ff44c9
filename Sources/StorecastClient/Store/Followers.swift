import Synchronization

/// The readers of a store's `states`.
final class Followers<State: Sendable>: Sendable {
    private struct Readers {
        var continuations: [Int: AsyncStream<State>.Continuation] = [:]
        var count = 0
    }

    private let readers = Mutex(Readers())

    deinit {
        for continuation in readers.withLock({ $0.continuations.values }) { continuation.finish() }
    }

    func follow(from state: State?) -> AsyncStream<State> {
        let (stream, continuation) = AsyncStream<State>.makeStream(
            bufferingPolicy: .bufferingNewest(1))
        if let state { continuation.yield(state) }
        let number = readers.withLock { readers in
            readers.count += 1
            readers.continuations[readers.count] = continuation
            return readers.count
        }
        continuation.onTermination = { [weak self] _ in
            _ = self?.readers.withLock { $0.continuations.removeValue(forKey: number) }
        }
        return stream
    }

    func yield(_ state: State) {
        for continuation in readers.withLock({ Array($0.continuations.values) }) {
            continuation.yield(state)
        }
    }
}
