extension Recorder {
    /// Whether ``play(speed:)`` is under way.
    public var isPlaying: Bool { playback != nil }

    /// Goes through the future, action by action, at the pace at which it was recorded.
    ///
    /// Runs on the caller's actor, which must be the recorder's, and leaves it free between two
    /// actions. It ends early, at the present position, when ``pause()`` is called, when somebody
    /// travels or dispatches, or when it is called again.
    ///
    /// - Parameter speed: a factor greater than 0: 2 is twice as fast as recorded, `.infinity` is
    ///   without waiting.
    /// - Returns: whether it came to the end.
    /// - Throws: `CancellationError` if the calling task is cancelled.
    @discardableResult
    public nonisolated(nonsending) func play(speed: Double = 1) async throws -> Bool {
        precondition(speed > 0, "The speed of a playback must be greater than 0.")
        pause()
        let playback = Playback()
        self.playback = playback
        defer { if self.playback === playback { self.playback = nil } }
        let (began, start) = (clock.now(), time)
        while position < actions.count {
            let due = began + (actions[position].time - start) / speed
            await playback.sleep(until: due, on: clock)
            try Task.checkCancellation()
            guard self.playback === playback else { return false }
            move(to: position + 1)
            guard self.playback === playback else { return false }
        }
        return true
    }

    /// Ends a playback at the present position; ``play(speed:)`` continues from there.
    public func pause() {
        playback?.end()
        playback = nil
    }
}

/// One run of ``Recorder/play(speed:)``, which another run, a dispatch or a pause may end.
final class Playback {
    private var sleeper: Task<Void, any Error>?

    /// Waits until the clock shows `due`, ``end()`` is called, or the calling task is cancelled.
    nonisolated(nonsending) func sleep(until due: Duration, on clock: RecorderClock) async {
        guard due > clock.now() else { return await Task.yield() }
        let sleeper = Task { try await clock.sleep(due) }
        self.sleeper = sleeper
        await withTaskCancellationHandler {
            _ = await sleeper.result
        } onCancel: {
            sleeper.cancel()
        }
    }

    /// Ends the sleep that is under way.
    func end() {
        sleeper?.cancel()
    }
}

/// A clock of any type, which counts from the moment the recorder was created.
struct RecorderClock: Sendable {
    /// The time since that moment.
    let now: @Sendable () -> Duration
    /// Waits until `now` is at least this; throws if the task is cancelled.
    let sleep: @Sendable (_ until: Duration) async throws -> Void

    init(_ clock: some Clock<Duration>) {
        let start = clock.now
        now = { start.duration(to: clock.now) }
        sleep = { try await clock.sleep(until: start.advanced(by: $0), tolerance: nil) }
    }
}
