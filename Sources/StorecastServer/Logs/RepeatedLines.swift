package import Logging
import Synchronization

/// Has another handler log the same message, at the same level and whatever its metadata, no more
/// than a few times in a while, and then say how many more there were.
struct RepeatLimitingHandler: LogHandler {
    private var handler: any LogHandler
    /// Shared by all copies of a logger.
    private let lines: RepeatedLines

    init(_ handler: any LogHandler, _ lines: RepeatedLines = RepeatedLines()) {
        self.handler = handler
        self.lines = lines
    }

    var metadata: Logger.Metadata {
        get { handler.metadata }
        set { handler.metadata = newValue }
    }

    var logLevel: Logger.Level {
        get { handler.logLevel }
        set { handler.logLevel = newValue }
    }

    var metadataProvider: Logger.MetadataProvider? {
        get { handler.metadataProvider }
        set { handler.metadataProvider = newValue }
    }

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { handler[metadataKey: key] }
        set { handler[metadataKey: key] = newValue }
    }

    func log(event: LogEvent) {
        let (isLogged, due, isFirstHeld) = lines.note(event.level, event.message.description)
        for line in due { log(line) }
        if isLogged { handler.log(event: event) }
        guard isFirstHeld else { return }
        // Said also if nothing is logged any more.
        let (lines, handler) = (lines, handler)
        Task.detached {
            try? await Task.sleep(for: RepeatedLines.window)
            for line in lines.takeAll() { Self(handler, lines).log(line) }
        }
    }

    private func log(_ line: RepeatedLines.Summary) {
        handler.log(
            event: LogEvent(
                level: line.level, message: "\(line.text)", metadata: nil,
                source: "StorecastServer", file: #fileID, function: #function, line: #line))
    }
}

/// What was logged lately, and how often.
final class RepeatedLines: Sendable {
    struct Summary: Equatable {
        var level: Logger.Level
        var text: String
    }

    private struct Key: Hashable {
        var level: Logger.Level
        /// Nil for all messages that have no place of their own.
        var message: String?
    }

    private struct Count {
        var began: ContinuousClock.Instant
        var all = 0
        var held: Int { max(0, all - RepeatedLines.most) }
    }

    private struct State {
        var counts: [Key: Count] = [:]
        /// Whether somebody will ask for what is held back.
        var isWatched = false
    }

    static let window = Duration.seconds(10)
    /// How often a message is logged in a window.
    static let most = 20
    /// How many different messages are counted; the others count together, by their level.
    static let mostMessages = 256
    /// How much of a message it goes by, in bytes.
    private static let longest = 256

    private let now: @Sendable () -> ContinuousClock.Instant
    private let state = Mutex(State())

    init(now: @escaping @Sendable () -> ContinuousClock.Instant = { .now }) { self.now = now }

    /// Counts a message: whether it is to be logged, what is to be said of earlier ones before,
    /// and whether it is the first that is held back, so that ``takeAll()`` is to be called.
    func note(
        _ level: Logger.Level, _ message: String
    ) -> (isLogged: Bool, due: [Summary], isFirstHeld: Bool) {
        let now = now()
        return state.withLock { state in
            var key = Key(level: level, message: String(message.prefix(Self.longest)))
            var due: [Summary] = []
            if state.counts[key] == nil, state.counts.count >= Self.mostMessages {
                due = Self.take(from: &state) { now - $0.began >= Self.window }
                if state.counts.count >= Self.mostMessages { key.message = nil }
            }
            if let count = state.counts[key], now - count.began >= Self.window {
                due += Self.summary(key, count).map { [$0] } ?? []
                state.counts[key] = nil
            }
            state.counts[key, default: Count(began: now)].all += 1
            let isLogged = state.counts[key].map { $0.held == 0 } ?? true
            defer { if !isLogged { state.isWatched = true } }
            return (isLogged, due, !isLogged && !state.isWatched)
        }
    }

    /// What is to be said of all that was held back.
    func takeAll() -> [Summary] {
        state.withLock { state in
            state.isWatched = false
            return Self.take(from: &state) { $0.held > 0 }
        }
    }

    private static func take(
        from state: inout State, where isOver: (Count) -> Bool
    ) -> [Summary] {
        let over = state.counts.filter { isOver($0.value) }
        for key in over.keys { state.counts[key] = nil }
        return over.compactMap { summary($0.key, $0.value) }.sorted { $0.text < $1.text }
    }

    private static func summary(_ key: Key, _ count: Count) -> Summary? {
        guard count.held > 0 else { return nil }
        let text =
            key.message.map { "\($0) … \(count.held) more like this" }
            ?? "… \(count.held) more lines of other kinds"
        return Summary(level: key.level, text: text)
    }
}

extension Logger {
    /// The same logger, which doesn't repeat itself without end.
    package var withoutRepetition: Logger {
        var logger = self
        logger.handler = RepeatLimitingHandler(handler)
        return logger
    }
}

/// How many lines of one kind may be logged in a second, and how many were left out.
struct LineBudget {
    private let most: Int
    private var second = Duration.seconds(-1)
    private var count = 0
    /// How many lines were left out since ``takeLeftOut()``.
    private(set) var leftOut = 0

    init(perSecond most: Int) { self.most = most }

    /// Whether a line may be logged now.
    mutating func take(at now: Duration) -> Bool {
        if now - second >= .seconds(1) { (second, count) = (now, 0) }
        count += 1
        if count > most { leftOut += 1 }
        return count <= most
    }

    mutating func takeLeftOut() -> Int {
        defer { leftOut = 0 }
        return leftOut
    }
}
