import StorecastSync

/// One direction of a connection: what is sent arrives in order and late, or is lost with all that
/// comes behind it.
final class Flow<Message> {
    private let time: VirtualTime
    private var weather: Weather
    private var random: SeededGenerator
    private let receive: (Message) -> Void
    /// Oldest first.
    private var underway: [(message: Message, arrival: Duration, size: Int)] = []
    private var lastArrival = Duration.zero
    private var isScheduled = false
    private var isCut = false
    /// Until then nothing arrives.
    private var heldUntil = Duration.zero
    /// Whether the receiver takes what arrives.
    private(set) var isTaken = true
    /// The bytes that haven't been received.
    private(set) var size = 0

    init(
        _ time: VirtualTime, _ weather: Weather, _ random: SeededGenerator,
        receive: @escaping (Message) -> Void
    ) {
        self.time = time
        self.weather = weather
        self.random = random
        self.receive = receive
    }

    var isEmpty: Bool { underway.isEmpty }

    func send(_ message: Message, size: Int) {
        guard !isCut else { return }
        var arrival = time.now + weather.latency + random.duration(upTo: weather.jitter)
        if weather.burst > .zero { arrival = Self.end(of: arrival, in: weather.burst) }
        lastArrival = max(lastArrival, arrival)
        underway.append((message, lastArrival, size))
        self.size += size
        schedule()
    }

    /// Nothing arrives for a while.
    func hold(for duration: Duration) {
        heldUntil = max(heldUntil, time.now + duration)
    }

    /// What was to arrive arrives as planned again.
    func heal() {
        heldUntil = .zero
        isScheduled = false
        schedule()
    }

    /// What is sent from now on arrives at once.
    func calm() { weather = .calm }

    func setTaken(_ isTaken: Bool) {
        self.isTaken = isTaken
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
        guard !isScheduled, isTaken, let next = underway.first else { return }
        isScheduled = true
        time.at(max(next.arrival, heldUntil)) { [weak self] in
            guard let self else { return }
            isScheduled = false
            arrive()
        }
    }

    /// Delivers all that has arrived by now in one go.
    private func arrive() {
        while isTaken, heldUntil <= time.now, let next = underway.first,
            next.arrival <= time.now
        {
            underway.removeFirst()
            size -= next.size
            receive(next.message)
        }
        schedule()
    }

    /// The next of the moments that lie `interval` apart.
    private static func end(of time: Duration, in interval: Duration) -> Duration {
        interval * Int((time / interval).rounded(.up))
    }
}
