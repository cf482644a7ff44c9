import Observation
import StorecastMirror
import StorecastSync
import Synchronization

/// The status of a connection, for observers on any thread.
final class ConnectionMonitor: Observable, Sendable {
    private struct State {
        var status = RemoteConnection.Status.connecting
        var identity: Identity?
        var outboxProblem: Rejection?
        var followers: [Int: AsyncStream<RemoteConnection.Status>.Continuation] = [:]
        var count = 0
    }

    private let state: Mutex<State>
    private let outbox: SharedOutbox
    private let registrar = ObservationRegistrar()

    init(_ outbox: SharedOutbox, _ identity: Identity?) {
        self.outbox = outbox
        state = Mutex(State(identity: identity))
    }

    var status: RemoteConnection.Status {
        registrar.access(self, keyPath: \.status)
        return state.withLock(\.status)
    }

    var identity: Identity? {
        registrar.access(self, keyPath: \.identity)
        return state.withLock(\.identity)
    }

    var pendingCount: Int {
        registrar.access(self, keyPath: \.pendingCount)
        return outbox.withLock(\.count)
    }

    var outboxProblem: Rejection? {
        registrar.access(self, keyPath: \.outboxProblem)
        return state.withLock(\.outboxProblem)
    }

    /// Tells the observers that the number of dispatches in the outbox has changed.
    func pendingChanged() {
        registrar.withMutation(of: self, keyPath: \.pendingCount) {}
    }

    func set(identity: Identity?) {
        guard state.withLock(\.identity) != identity else { return }
        registrar.withMutation(of: self, keyPath: \.identity) {
            state.withLock { $0.identity = identity }
        }
    }

    func set(outboxProblem: Rejection?) {
        registrar.withMutation(of: self, keyPath: \.outboxProblem) {
            state.withLock { $0.outboxProblem = outboxProblem }
        }
    }

    /// Called by the connection's loop only, so that followers hear in order.
    func set(_ status: RemoteConnection.Status) {
        guard state.withLock(\.status) != status else { return }
        let followers = registrar.withMutation(of: self, keyPath: \.status) {
            state.withLock { state in
                state.status = status
                return Array(state.followers.values)
            }
        }
        // Outside of the lock: who cancels a follower holds its task's lock, and `onTermination`
        // then waits for this one, while a yield with it would wait for the task's.
        for follower in followers {
            follower.yield(status)
            if case .closed = status { follower.finish() }
        }
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
