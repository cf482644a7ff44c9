import Synchronization

/// A clock that stands still until it is told to go on.
final class ManualClock: Clock {
    struct Instant: InstantProtocol {
        var offset: Duration

        func advanced(by duration: Duration) -> Instant { Instant(offset: offset + duration) }
        func duration(to other: Instant) -> Duration { other.offset - offset }
        static func < (left: Instant, right: Instant) -> Bool { left.offset < right.offset }
    }

    private struct Sleeper {
        let deadline: Instant
        let continuation: CheckedContinuation<Void, any Error>
    }

    private struct Face {
        var now = Instant(offset: .zero)
        var sleepers: [Int: Sleeper] = [:]
        var watchers: [CheckedContinuation<Void, Never>] = []
        var lastID = 0
    }

    private let face = Mutex(Face())

    var now: Instant { face.withLock { $0.now } }
    let minimumResolution = Duration.zero

    func sleep(until deadline: Instant, tolerance: Duration?) async throws {
        let id = face.withLock { face in
            face.lastID += 1
            return face.lastID
        }
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let watchers = face.withLock { face in
                    face.sleepers[id] = Sleeper(deadline: deadline, continuation: continuation)
                    defer { face.watchers = [] }
                    return face.watchers
                }
                if Task.isCancelled { wake(id) }
                for watcher in watchers { watcher.resume() }
            }
        } onCancel: {
            wake(id)
        }
    }

    /// Waits until somebody sleeps.
    func sleeper() async {
        await withCheckedContinuation { continuation in
            let isAsleep = face.withLock { face in
                if face.sleepers.isEmpty { face.watchers.append(continuation) }
                return !face.sleepers.isEmpty
            }
            if isAsleep { continuation.resume() }
        }
    }

    /// How many sleep.
    var sleeperCount: Int { face.withLock { $0.sleepers.count } }

    /// Goes on and wakes those whose time has come.
    func advance(by duration: Duration) {
        let due = face.withLock { face in
            face.now = face.now.advanced(by: duration)
            let due = face.sleepers.filter { $0.value.deadline <= face.now }
            for id in due.keys { face.sleepers[id] = nil }
            return due
        }
        for sleeper in due.values { sleeper.continuation.resume() }
    }

    private func wake(_ id: Int) {
        let sleeper = face.withLock { $0.sleepers.removeValue(forKey: id) }
        sleeper?.continuation.resume(throwing: CancellationError())
    }
}
