import Synchronization

/// A clock that stands still until a test moves it.
///
/// ```swift
/// let clock = ManualClock()
/// let recorder = Recorder(store, clock: clock)
/// let playing = Task { try await recorder.play() }
/// await clock.waitForSleeper()    // it waits now
/// clock.advance(by: .seconds(1))
/// ```
///
/// Tasks that sleep wake when the clock has been moved to their deadline, earlier deadlines first.
public final class ManualClock: Clock, Sendable {
    /// A time since the clock was made.
    public struct Instant: InstantProtocol {
        /// How far the clock had been moved.
        public var offset: Duration

        /// The instant `duration` later.
        public func advanced(by duration: Duration) -> Instant {
            Instant(offset: offset + duration)
        }

        /// How much later `other` is.
        public func duration(to other: Instant) -> Duration { other.offset - offset }

        /// Whether the left one is earlier.
        public static func < (left: Instant, right: Instant) -> Bool { left.offset < right.offset }
    }

    private struct Sleeper {
        let id: Int
        let deadline: Instant
        let continuation: CheckedContinuation<Void, any Error>
    }

    private struct Waiting {
        var now = Instant(offset: .zero)
        var lastID = 0
        /// Those whose task was cancelled before they had fallen asleep.
        var cancelled: Set<Int> = []
        var sleepers: [Sleeper] = []
        var watchers: [CheckedContinuation<Void, Never>] = []
    }

    private let waiting = Mutex(Waiting())

    /// A clock that stands at zero.
    public init() {}

    /// The time it was moved to.
    public var now: Instant { waiting.withLock(\.now) }

    /// How many tasks sleep.
    public var sleeperCount: Int { waiting.withLock(\.sleepers.count) }

    /// The clock is exact.
    public var minimumResolution: Duration { .nanoseconds(1) }

    /// Waits until the clock has been moved to `deadline`; throws if the task is cancelled first.
    public func sleep(until deadline: Instant, tolerance: Duration?) async throws {
        let id = waiting.withLock { waiting in
            waiting.lastID += 1
            return waiting.lastID
        }
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                add(Sleeper(id: id, deadline: deadline, continuation: continuation))
            }
        } onCancel: {
            cancel(id)
        }
    }

    /// Moves the clock and wakes who has slept long enough.
    public func advance(by duration: Duration) {
        let woken = waiting.withLock { waiting in
            waiting.now = waiting.now.advanced(by: duration)
            let now = waiting.now
            let woken = waiting.sleepers.filter { $0.deadline <= now }
            waiting.sleepers.removeAll { $0.deadline <= now }
            return woken.sorted { ($0.deadline, $0.id) < ($1.deadline, $1.id) }
        }
        for sleeper in woken {
            sleeper.continuation.resume()
        }
    }

    /// Waits until at least one task sleeps.
    public func waitForSleeper() async {
        await withCheckedContinuation { continuation in
            let isThere = waiting.withLock { waiting in
                if waiting.sleepers.isEmpty { waiting.watchers.append(continuation) }
                return !waiting.sleepers.isEmpty
            }
            if isThere { continuation.resume() }
        }
    }

    private func add(_ sleeper: Sleeper) {
        let (isDue, isCancelled, watchers) = waiting.withLock { waiting in
            let isCancelled = waiting.cancelled.remove(sleeper.id) != nil
            let isDue = sleeper.deadline <= waiting.now
            if isCancelled || isDue {
                return (isDue, isCancelled, [CheckedContinuation<Void, Never>]())
            }
            waiting.sleepers.append(sleeper)
            defer { waiting.watchers = [] }
            return (false, false, waiting.watchers)
        }
        if isCancelled {
            sleeper.continuation.resume(throwing: CancellationError())
        } else if isDue {
            sleeper.continuation.resume()
        }
        for watcher in watchers {
            watcher.resume()
        }
    }

    private func cancel(_ id: Int) {
        let sleeper = waiting.withLock { waiting -> Sleeper? in
            guard let index = waiting.sleepers.firstIndex(where: { $0.id == id }) else {
                waiting.cancelled.insert(id)
                return nil
            }
            return waiting.sleepers.remove(at: index)
        }
        sleeper?.continuation.resume(throwing: CancellationError())
    }
}
