import StorecastSync

/// One direction of a connection: messages arrive in order and late, or are lost together with all
/// that follow.
final class Flow<Message> {
    private let time: VirtualTime
    private var conditions: NetworkConditions
    private var random: SeededGenerator
    private let receive: (Message) -> Void
    /// Oldest first.
    private var underway: [(message: Message, arrival: Duration, size: Int)] = []
    private var lastArrival = Duration.zero
    private var isScheduled = false
    private var isCut = false
    /// Nothing arrives before this time.
    private var heldUntil = Duration.zero
    /// Whether the receiver reads.
    private(set) var isReading = true
    /// The bytes that haven't been received yet.
    private(set) var size = 0

    init(
        _ time: VirtualTime, _ conditions: NetworkConditions, _ random: SeededGenerator,
        receive: @escaping (Message) -> Void
    ) {
        self.time = time
        self.conditions = conditions
        self.random = random
        self.receive = receive
    }

    var isEmpty: Bool { underway.isEmpty }

    func send(_ message: Message, size: Int) {
        guard !isCut else { return }
        var arrival = time.now + conditions.latency + random.duration(upTo: conditions.jitter)
        if conditions.burst > .zero { arrival = Self.end(of: arrival, in: conditions.burst) }
        lastArrival = max(lastArrival, arrival)
        underway.append((message, lastArrival, size))
        self.size += size
        schedule()
    }

    /// Nothing arrives for a while.
    func hold(for duration: Duration) {
        heldUntil = max(heldUntil, time.now + duration)
    }

    /// Ends a ``hold(for:)``.
    func heal() {
        heldUntil = .zero
        isScheduled = false
        schedule()
    }

    /// What is sent from now on arrives without delay.
    func removeDelays() { conditions = .perfect }

    func setReading(_ isReading: Bool) {
        self.isReading = isReading
        schedule()
    }

    /// Loses all but the oldest `count` messages, and everything from now on.
    func cut(keeping count: Int) {
        isCut = true
        guard underway.count > count else { return }
        underway.removeLast(underway.count - count)
        size = underway.reduce(0) { $0 + $1.size }
    }

    private func schedule() {
        guard !isScheduled, isReading, let next = underway.first else { return }
        isScheduled = true
        time.at(max(next.arrival, heldUntil)) { [weak self] in
            guard let self else { return }
            isScheduled = false
            arrive()
        }
    }

    /// Delivers everything that has arrived by now.
    private func arrive() {
        while isReading, heldUntil <= time.now, let next = underway.first,
            next.arrival <= time.now
        {
            underway.removeFirst()
            size -= next.size
            receive(next.message)
        }
        schedule()
    }

    /// The next multiple of `interval`.
    private static func end(of time: Duration, in interval: Duration) -> Duration {
        interval * Int((time / interval).rounded(.up))
    }
}

/// How a connection carries messages.
struct NetworkConditions: Sendable {
    /// The shortest delay of a message.
    var latency: Duration
    /// The longest random delay on top of the latency.
    var jitter: Duration
    /// Messages arrive together at multiples of this time; zero for each by itself.
    var burst: Duration
    /// How many bytes to a client may be under way before the server's socket isn't writable.
    var capacity: Int

    /// Without delays and without bounds.
    static let perfect = NetworkConditions(
        latency: .zero, jitter: .zero, burst: .zero, capacity: .max)

    /// Conditions between perfect ones and these.
    func drawn(_ random: inout SeededGenerator) -> NetworkConditions {
        NetworkConditions(
            latency: random.duration(upTo: latency), jitter: random.duration(upTo: jitter),
            burst: random.happens(oneIn: 2) ? random.duration(upTo: burst) : .zero,
            capacity: capacity == .max ? .max : 1 + random.below(capacity))
    }
}
