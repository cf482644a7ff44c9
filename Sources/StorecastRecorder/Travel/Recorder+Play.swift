extension Recorder {
    /// Whether ``play(speed:)`` is under way.
    public var isPlaying: Bool { playback != nil }

    /// Goes through the future, action by action, in the rhythm in which it was recorded.
    ///
    /// Runs on the caller's actor, which must be the recorder's, and leaves it free between two
    /// actions. It ends early, where it is, when ``pause()`` is called, somebody travels or
    /// dispatches, or it is played again.
    ///
    /// - Parameter speed: how many times as fast as recorded; greater than 0, `.infinity` for no
    ///   waiting at all.
    /// - Returns: whether it came to the end.
    /// - Throws: `CancellationError` if the calling task is cancelled.
    @discardableResult
    public nonisolated(nonsending) func play(speed: Double = 1) async throws -> Bool {
        precondition(speed > 0, "A recording is played forward.")
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

    /// Ends a playback at the present position; ``play(speed:)`` goes on from there.
    public func pause() {
        playback?.end()
        playback = nil
    }
}
