import Synchronization

/// The status that a connection has now, and everyone who follows it.
final class ConnectionStatus: Sendable {
    private struct State {
        var status = RemoteConnection.Status.connecting
        var followers: [Int: AsyncStream<RemoteConnection.Status>.Continuation] = [:]
        var count = 0
    }

    private let state = Mutex(State())

    var now: RemoteConnection.Status { state.withLock(\.status) }

    func set(_ status: RemoteConnection.Status) {
        let ended = state.withLock { state -> [AsyncStream<RemoteConnection.Status>.Continuation] in
            guard state.status != status else { return [] }
            state.status = status
            for follower in state.followers.values { follower.yield(status) }
            guard case .closed = status else { return [] }
            defer { state.followers = [:] }
            return Array(state.followers.values)
        }
        // Without the lock: the end of a stream comes back to take it.
        for follower in ended { follower.finish() }
    }

    /// The status now and every later one; ends when the connection is closed.
    func follow() -> AsyncStream<RemoteConnection.Status> {
        let (stream, continuation) = AsyncStream<RemoteConnection.Status>.makeStream()
        let number = state.withLock { state -> Int? in
            continuation.yield(state.status)
            if case .closed = state.status {
                continuation.finish()
                return nil
            }
            state.count += 1
            state.followers[state.count] = continuation
            return state.count
        }
        guard let number else { return stream }
        continuation.onTermination = { [weak self] _ in
            self?.state.withLock { $0.followers[number] = nil }
        }
        return stream
    }
}
