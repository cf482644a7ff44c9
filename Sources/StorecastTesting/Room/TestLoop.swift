import StorecastMirror
import StorecastSync
import Synchronization

/// The event loop of a ``TestRoom``: does what its server and its clients have to do, in order, on
/// the main actor, in the time of a manual clock.
///
/// Whatever is given to it starts it, as soon as the main actor is free. Then it goes on until
/// nothing is left to do at this time.
final class TestLoop: TransportExecutor {
    private struct Inbox {
        var work: [@MainActor () -> Void] = []
        var isScheduled = false
        var count = 0
    }

    private let clock: ManualClock
    private let inbox = Mutex(Inbox())
    /// Called when all was done that had been given to the loop.
    @MainActor var onTurnEnd: () -> Void = {}

    init(clock: ManualClock) {
        self.clock = clock
    }

    /// How much was ever given to it.
    var workCount: Int { inbox.withLock(\.count) }

    /// Does `work` behind everything given before.
    func post(_ work: @escaping @MainActor () -> Void) {
        let isFirst = inbox.withLock { inbox in
            inbox.work.append(work)
            inbox.count += 1
            defer { inbox.isScheduled = true }
            return !inbox.isScheduled
        }
        if isFirst { Task { @MainActor in run() } }
    }

    /// Does everything that there is to do now.
    @MainActor func run() {
        while true {
            let due = inbox.withLock { inbox in
                defer { inbox.work = [] }
                inbox.isScheduled = !inbox.work.isEmpty
                return inbox.work
            }
            if due.isEmpty { return }
            for work in due { work() }
            onTurnEnd()
        }
    }

    // MARK: TransportExecutor

    var now: Duration { clock.now.offset }

    func execute(_ work: @escaping @Sendable () -> Void) {
        post(work)
    }

    func execute(after delay: Duration, _ work: @escaping @Sendable () -> Void) {
        clock.call(after: delay) { [weak self] in self?.post(work) }
    }

    func enqueue(_ job: consuming ExecutorJob) {
        MainActor.shared.enqueue(UnownedJob(job))
    }

    func asUnownedSerialExecutor() -> UnownedSerialExecutor {
        MainActor.sharedUnownedExecutor
    }
}
