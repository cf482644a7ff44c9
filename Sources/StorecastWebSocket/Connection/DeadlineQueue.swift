/// A time limit that is equally long for all connections: a queue, with one timer for its first.
///
/// Adding is O(1). A connection that is done in time stays in the queue: `expire` has to look
/// whether there is still something to do.
final class DeadlineQueue {
    private let core: LoopCore
    private let delay: Duration
    private let expire: (WebSocketConnection) -> Void
    private var waiting: [(connection: WebSocketConnection, due: UInt64)] = []
    private var first = 0
    private var timer: LoopTimer?

    init(on core: LoopCore, delay: Duration, expire: @escaping (WebSocketConnection) -> Void) {
        self.core = core
        self.delay = delay
        self.expire = expire
    }

    func add(_ connection: WebSocketConnection) {
        waiting.append((connection, core.milliseconds + delay.wholeMilliseconds))
        if timer == nil { arm(delay) }
    }

    func cancel() {
        timer?.cancel()
        timer = nil
        waiting = []
        first = 0
    }

    private func arm(_ delay: Duration) {
        timer = LoopTimer(on: core, after: delay) { [weak self] in self?.sweep() }
    }

    private func sweep() {
        timer = nil
        while first < waiting.count, waiting[first].due <= core.milliseconds {
            let connection = waiting[first].connection
            first += 1
            expire(connection)
        }
        if first * 2 > waiting.count {
            waiting.removeFirst(first)
            first = 0
        }
        guard first < waiting.count, timer == nil else { return }
        arm(.milliseconds(Int64(waiting[first].due - core.milliseconds)))
    }
}
