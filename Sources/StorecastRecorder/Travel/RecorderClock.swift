/// A clock of any kind that counts from the time at which it was given to the recorder.
struct RecorderClock: Sendable {
    /// How long ago that was.
    let now: @Sendable () -> Duration
    /// Waits until `now` is at least this; throws if the task is cancelled.
    let sleep: @Sendable (_ until: Duration) async throws -> Void

    init(_ clock: some Clock<Duration>) {
        let start = clock.now
        now = { start.duration(to: clock.now) }
        sleep = { try await clock.sleep(until: start.advanced(by: $0), tolerance: nil) }
    }
}
