/// One run of ``Recorder/play(speed:)``, which another run, a dispatch or a pause may end.
final class Playback {
    private var sleeper: Task<Void, any Error>?

    /// Waits until the clock shows `due`, or ``end()`` is called, or the calling task is cancelled.
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

    /// Cuts the present sleep short.
    func end() {
        sleeper?.cancel()
    }
}
