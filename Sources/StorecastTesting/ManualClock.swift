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

    fileprivate struct Sleeper {
        let id: Int
        let deadline: Instant
        let continuation: CheckedContinuation<Void, any Error>
    }

    fileprivate struct Timer {
        let id: Int
        let deadline: Instant
        let work: @Sendable () -> Void
    }

    fileprivate struct Waiting {
        var now = Instant(offset: .zero)
        /// Of sleepers and timers.
        var lastID = 0
        /// The ids of sleepers whose tasks were cancelled before they slept.
        var cancelled: Set<Int> = []
        var sleepers: [Sleeper] = []
        var timers: [Timer] = []
        var watchers: [CheckedContinuation<Void, Never>] = []
    }

    private let waiting = Mutex(Waiting())

    /// A clock that stands at zero.
    public init() {}

    /// The time that it was moved to.
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

    /// Moves the clock and wakes the tasks whose deadlines it has reached.
    public func advance(by duration: Duration) {
        let due = waiting.withLock { waiting in
            waiting.now = waiting.now.advanced(by: duration)
            return waiting.takeDue().sorted { $0.time < $1.time }
        }
        for due in due { due.wake() }
    }

    /// Calls `work` when the clock has moved by `delay`, on the thread that moves it.
    func call(after delay: Duration, _ work: @escaping @Sendable () -> Void) {
        let isDue = waiting.withLock { waiting in
            waiting.lastID += 1
            let deadline = waiting.now.advanced(by: delay)
            guard deadline > waiting.now else { return true }
            waiting.timers.append(Timer(id: waiting.lastID, deadline: deadline, work: work))
            return false
        }
        if isDue { work() }
    }

    /// When the next task wakes or the next timer fires; nil if nothing waits.
    var nextDeadline: Instant? {
        waiting.withLock { waiting in
            (waiting.sleepers.map(\.deadline) + waiting.timers.map(\.deadline)).min()
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

extension ManualClock.Waiting {
    /// Removes and returns what is due.
    fileprivate mutating func takeDue() -> [(
        time: (ManualClock.Instant, Int), wake: @Sendable () -> Void
    )] {
        let now = now
        let sleepers = sleepers.filter { $0.deadline <= now }
        let timers = timers.filter { $0.deadline <= now }
        self.sleepers.removeAll { $0.deadline <= now }
        self.timers.removeAll { $0.deadline <= now }
        return sleepers.map { sleeper in
            ((sleeper.deadline, sleeper.id), { sleeper.continuation.resume() })
        } + timers.map { (($0.deadline, $0.id), $0.work) }
    }
}
