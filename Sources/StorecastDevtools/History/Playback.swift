import StorecastRoom
import StorecastWire

/// What reduces a room's journal again, page by page, on another thread than the loop's.
protocol Playback: Sendable {
    /// The newest version at which it may begin.
    var start: UInt64 { get }
    /// How many entries it takes at a time.
    var pageEntries: Int { get }

    /// Begins before the first entry.
    func begin()
    /// Begins at a snapshot; false if that can't be restored.
    func restore(_ kept: JournalSnapshot) -> Bool
    /// Reduces the next entries; `isLast` if there are none behind them now.
    func take(_ records: [JournalChunk.Record], isLast: Bool) -> PlaybackStep
    /// The journal no longer has what is before its oldest snapshot; nil if it is to begin there.
    func answerToTruncation() -> JSON?
}

enum PlaybackStep: Sendable {
    /// It needs the entries that come next.
    case more
    /// It is to begin again, at another snapshot: ``Playback/start`` has changed.
    case again
    case done(JSON)

    /// There is no answer; a sentence says why.
    static func problem(_ text: String) -> PlaybackStep { .done(DevtoolsState.problem(text)) }

    /// An entry, or one before it, can't be reduced as the room is now.
    static func unreducible(_ error: any Error) -> PlaybackStep {
        .problem("It can't be reduced again: \(error)")
    }
}

extension Playback {
    var pageEntries: Int { 2000 }

    func begin() {}

    func answerToTruncation() -> JSON? {
        DevtoolsState.problem("The journal no longer has what led to it.")
    }
}

/// Answers one question about the past.
protocol PastReader: AnyObject {
    var question: DevtoolsQuestion { get }
    var isOver: Bool { get }
    func begin()
    /// Nobody asks any more.
    func cancel()
}

/// The questions about the past of one loop's rooms, which are answered one at a time.
struct HistoryQueue {
    private var waiting: [DevtoolsQuestion] = []
    private var current: (any PastReader)?

    /// Replaces what is to be answered; cancels what is being answered if it isn't asked any more.
    ///
    /// - Returns: the question to begin with now, as by ``next()``.
    mutating func replace(with questions: [DevtoolsQuestion]) -> DevtoolsQuestion? {
        if let current, !questions.contains(current.question) {
            current.cancel()
            self.current = nil
        }
        waiting = questions.filter { $0 != current?.question }
        return next()
    }

    /// The question to begin with now; nil if one is being answered or none is left.
    mutating func next() -> DevtoolsQuestion? {
        if let current, !current.isOver { return nil }
        current = nil
        return waiting.isEmpty ? nil : waiting.removeFirst()
    }

    mutating func began(_ reader: any PastReader) { current = reader }

    func cancel() { current?.cancel() }
}
