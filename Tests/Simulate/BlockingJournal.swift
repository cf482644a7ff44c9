import Dispatch
import StorecastRoom
import Synchronization

/// A journal of a store with threads of its own, whose calls return when the store has answered.
///
/// So simulated time stands still meanwhile, and a seed is the same run whatever the threads do.
final class BlockingJournal: Journal {
    private let journal: any Journal
    private let answers: Answers

    /// The journal of a store that has no other.
    init(in store: any JournalStore) {
        let answers = Answers()
        journal = store.journal { answers.append($0) }
        self.answers = answers
    }

    var isDurable: Bool { journal.isDurable }

    func open(
        _ room: String, completion: @escaping (Result<RoomHistory, JournalError>) -> Void
    ) {
        answer(completion) { journal.open(room, completion: $0) }
    }

    func append(
        _ batch: [JournalEntry], to room: String,
        completion: @escaping (Result<UInt64, JournalError>) -> Void
    ) {
        answer(completion) { journal.append(batch, to: room, completion: $0) }
    }

    func tail(
        of room: String, after: UInt64, receive: @escaping (JournalTailEvent) -> Void
    ) -> any JournalTail {
        var isRead = false
        let tail = journal.tail(of: room, after: after) { event in
            if case .entries = event {} else { isRead = true }
            receive(event)
        }
        answers.take { isRead }
        return tail
    }

    func saveSnapshot(
        of room: String, offset: UInt64, version: UInt64,
        content: @escaping @Sendable () throws -> [UInt8],
        completion: @escaping (Result<Void, JournalError>) -> Void
    ) {
        answer(completion) {
            journal.saveSnapshot(
                of: room, offset: offset, version: version, content: content, completion: $0)
        }
    }

    func loadSnapshot(
        of room: String, through offset: UInt64,
        completion: @escaping (Result<JournalSnapshot?, JournalError>) -> Void
    ) {
        answer(completion) { journal.loadSnapshot(of: room, through: offset, completion: $0) }
    }

    func truncate(
        _ room: String, through offset: UInt64,
        completion: @escaping (Result<Void, JournalError>) -> Void
    ) {
        answer(completion) { journal.truncate(room, through: offset, completion: $0) }
    }

    private func answer<Answer>(
        _ completion: @escaping (Answer) -> Void, _ ask: (@escaping (Answer) -> Void) -> Void
    ) {
        var isAnswered = false
        ask { answer in
            isAnswered = true
            completion(answer)
        }
        answers.take { isAnswered }
    }
}

/// The answers of other threads, for the one that waits for them.
private final class Answers: Sendable {
    private let waiting = Mutex<[@Sendable () -> Void]>([])
    private let count = DispatchSemaphore(value: 0)

    func append(_ answer: @escaping @Sendable () -> Void) {
        waiting.withLock { $0.append(answer) }
        count.signal()
    }

    /// Runs answers in order until `isEnough`; blocks while there is none.
    func take(until isEnough: () -> Bool) {
        while !isEnough() {
            count.wait()
            let answer = waiting.withLock { $0.removeFirst() }
            answer()
        }
    }
}
