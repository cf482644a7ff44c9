/// Pings silent peers, and ends the connections of those that don't answer, take nothing, or leave
/// a message unfinished: a timer wheel with one timer for all connections.
///
/// Each connection is visited once in `interval`; a tick visits one slot of the wheel, which
/// spreads the work. Adding and removing is O(1).
final class Heartbeat {
    private let core: LoopCore
    private let reached: (WebSocketLimit) -> Void
    private let interval: Duration
    private let deadline: UInt64
    private let pingAfter: UInt64
    private let stallLimit: UInt64
    private let messageLimit: UInt64
    private var slots: [[UInt64: WebSocketConnection]]
    private var next = 0
    private(set) var count = 0
    private var timer: LoopTimer?

    /// - Parameters:
    ///   - slots: how many groups the connections are spread over.
    ///   - reached: called for each connection that a limit ends.
    init(
        on core: LoopCore, interval: Duration, timeout: Duration, stallTimeout: Duration,
        messageTimeout: Duration, slots: Int,
        reached: @escaping (WebSocketLimit) -> Void = { _ in }
    ) {
        self.core = core
        self.reached = reached
        self.interval = interval
        deadline = timeout.wholeMilliseconds
        pingAfter = (interval / 2).wholeMilliseconds
        stallLimit = stallTimeout.wholeMilliseconds
        messageLimit = messageTimeout.wholeMilliseconds
        self.slots = Array(repeating: [:], count: slots)
    }

    /// All connections, in no order.
    var connections: [WebSocketConnection] { slots.flatMap(\.values) }

    func add(_ connection: WebSocketConnection) {
        slots[slot(of: connection)][connection.id] = connection
        count += 1
        if timer == nil { arm() }
    }

    func remove(_ connection: WebSocketConnection) {
        guard slots[slot(of: connection)].removeValue(forKey: connection.id) != nil else { return }
        count -= 1
    }

    func cancel() {
        timer?.cancel()
        timer = nil
    }

    private func slot(of connection: WebSocketConnection) -> Int {
        Int(connection.id % UInt64(slots.count))
    }

    private func arm() {
        timer = LoopTimer(on: core, after: interval / slots.count) { [weak self] in self?.tick() }
    }

    private func tick() {
        timer = nil
        let now = core.milliseconds
        for connection in slots[next].values {
            if let lapse = connection.lapse(stallLimit: stallLimit, messageLimit: messageLimit) {
                reached(lapse.limit)
                connection.fail(lapse.sentence)
                continue
            }
            let silence = now - min(connection.lastActivity, now)
            // While reading is paused, an answer isn't seen; only one that lags too is dead.
            if connection.isReadingPaused && !connection.isLagging { continue }
            if silence >= deadline {
                reached(.silence)
                connection.fail("The peer gave no sign of life for \(silence / 1000) s.")
            } else if silence >= pingAfter {
                connection.ping()
            }
        }
        next = (next + 1) % slots.count
        if count > 0 { arm() }
    }
}

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

/// What a server holds of messages that aren't whole yet, of all its connections together.
///
/// Beyond the limit it ends connections, those first whose message began first: who only sends
/// slowly has to be quicker than those who want to push it out.
final class UnfinishedMessages {
    private let limit: Int
    private let reached: (WebSocketLimit) -> Void
    private var held: [UInt64: (connection: WebSocketConnection, bytes: Int)] = [:]
    private var total = 0

    /// - Parameter reached: called for each connection that is ended.
    init(limit: Int, reached: @escaping (WebSocketLimit) -> Void) {
        self.limit = limit
        self.reached = reached
    }

    /// Notes how many bytes are held for a connection now. Amortised O(1), but O(n log n) where
    /// connections are ended, of which there is an eighth of the limit then.
    func note(_ connection: WebSocketConnection, _ bytes: Int) {
        total += bytes - (held[connection.id]?.bytes ?? 0)
        held[connection.id] = bytes > 0 ? (connection, bytes) : nil
        if total > limit { shed() }
    }

    private func shed() {
        let oldest = held.values.sorted {
            ($0.connection.messageBegan, $0.connection.id)
                < ($1.connection.messageBegan, $1.connection.id)
        }
        for (connection, bytes) in oldest {
            guard total > limit - limit / 8 else { return }
            // Not by `note`, which would begin anew with those who are left.
            held[connection.id] = nil
            total -= bytes
            reached(.unfinishedBytes)
            connection.fail("Too much is held of messages that aren't whole.")
        }
    }
}

/// What bounds connections here, by the names that tables of limits have.
package enum WebSocketLimit: String {
    case connections
    case handshakeTimeout = "handshake-timeout"
    case answerTimeout = "answer-timeout"
    case silence
    case stallTimeout = "stall-timeout"
    case messageTimeout = "message-timeout"
    case unfinishedBytes = "unfinished-bytes"
    case closeTimeout = "close-timeout"
}
