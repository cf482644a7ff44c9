/// One call of a routable, in a task of its own so that a router can stop waiting for it.
///
/// Like the navigator it belongs to the actor that owns the router.
final class RoutingCall {
    /// The result; nil until the call has returned.
    private(set) var result: Result<(any Routable)?, any Error>?
    private let step: RoutingStep
    private let routable: (any Routable)?
    private let animated: Bool
    private let events: AsyncStream<Void>
    private let wakeUp: AsyncStream<Void>.Continuation
    private var task: Task<Void, Never>?

    /// Creates the call for a step; `routable` is nil if none is known for it.
    init(_ step: RoutingStep, of routable: (any Routable)?, animated: Bool) {
        self.step = step
        self.routable = routable
        self.animated = animated
        (events, wakeUp) = AsyncStream.makeStream()
    }

    /// Begins the call.
    func start(on owner: isolated any Actor) {
        task = Task {
            // Captured, so that the task is isolated to it.
            _ = owner
            do {
                guard let routable else { throw UnsupportedByRoutable() }
                result = .success(try await step.perform(on: routable, animated: animated))
            } catch {
                result = .failure(error)
            }
            wakeUp.yield()
        }
    }

    /// Waits until the call has returned, the time is over, or the call is abandoned, whichever is
    /// first.
    func wait(for limit: Duration, on clock: any Clock<Duration>) async {
        if result != nil { return }
        let wakeUp = wakeUp
        let timer = Task.detached {
            // It throws if the timer is cancelled, and then nobody waits any more.
            guard (try? await clock.sleep(for: limit)) != nil else { return }
            wakeUp.yield()
        }
        defer { timer.cancel() }
        var iterator = events.makeAsyncIterator()
        _ = await iterator.next()
    }

    /// Cancels the call; it may return a result all the same.
    func cancel() {
        task?.cancel()
    }

    /// Cancels the call and stops waiting for it.
    func abandon() {
        cancel()
        wakeUp.finish()
    }
}

extension RoutingStep {
    /// Has a routable do the step; returns the routable for what is inside the new element.
    fileprivate func perform(
        on routable: any Routable, animated: Bool
    ) async throws -> (any Routable)? {
        switch self {
        case .push(let element, _):
            return try await routable.push(element, animated: animated)
        case .pop(let element, _):
            try await routable.pop(element, animated: animated)
            return nil
        case .change(let old, let new, _):
            return try await routable.change(old, to: new, animated: animated)
        }
    }
}
