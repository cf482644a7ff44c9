import Synchronization
import Testing

/// What happened, in order, for a test that waits for it.
final class Mailbox<Event: Sendable>: Sendable {
    private struct State {
        var events: [Event] = []
        var waiter: (id: Int, continuation: CheckedContinuation<Event?, Never>)?
        var waits = 0
    }

    private let state = Mutex(State())

    func post(_ event: Event) {
        let waiter = state.withLock { state in
            if let waiter = state.waiter {
                state.waiter = nil
                return waiter.continuation as CheckedContinuation<Event?, Never>?
            }
            state.events.append(event)
            return nil
        }
        waiter?.resume(returning: event)
    }

    /// What came and wasn't taken.
    var pending: [Event] { state.withLock { $0.events } }

    /// The next event, waited for until the deadline; a failed test then.
    func next(
        within deadline: Duration = .seconds(60), sourceLocation: SourceLocation = #_sourceLocation
    ) async throws -> Event {
        let id = state.withLock { state in
            state.waits += 1
            return state.waits
        }
        let alarm = Task { [self] in
            try await Task.sleep(for: deadline)
            expire(id)
        }
        defer { alarm.cancel() }
        let event = await withCheckedContinuation { continuation in
            let event = state.withLock { state in
                if state.events.isEmpty {
                    state.waiter = (id, continuation)
                    return nil as Event?
                }
                return state.events.removeFirst()
            }
            if let event { continuation.resume(returning: event) }
        }
        return try #require(event, "Nothing came in time.", sourceLocation: sourceLocation)
    }

    private func expire(_ id: Int) {
        let waiter = state.withLock { state in
            guard let waiter = state.waiter, waiter.id == id else {
                return nil as CheckedContinuation<Event?, Never>?
            }
            state.waiter = nil
            return waiter.continuation
        }
        waiter?.resume(returning: nil)
    }
}

/// A value that several threads of a test change.
final class Shared<Value: Sendable>: Sendable {
    private let content: Mutex<Value>

    init(_ value: Value) { content = Mutex(value) }

    var value: Value { content.withLock { $0 } }

    func change(_ body: @Sendable (inout Value) -> Void) { content.withLock { body(&$0) } }
}
