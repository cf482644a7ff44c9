import Dispatch
package import StorecastSync
import Synchronization

/// A journal of a store that answers from threads of its own, for a simulation, which knows no
/// other time than its own: each call returns when it is answered.
///
/// So the same seed is the same run: whichever threads there are, one waits for the other.
package final class AwaitedJournal: Journal {
    private let journal: any Journal
    private let answers: Answers

    /// The only journal of a store.
    package init(in store: any JournalStore) {
        let answers = Answers()
        journal = store.journal { answers.append($0) }
        self.answers = answers
    }

    package var isDurable: Bool { journal.isDurable }

    package func open(
        _ room: String, completion: @escaping (Result<RoomHistory, JournalError>) -> Void
    ) {
        answer(completion) { journal.open(room, completion: $0) }
    }

    package func append(
        _ batch: [JournalEntry], to room: String,
        completion: @escaping (Result<UInt64, JournalError>) -> Void
    ) {
        answer(completion) { journal.append(batch, to: room, completion: $0) }
    }

    package func tail(
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

    package func saveSnapshot(
        of room: String, offset: UInt64, version: UInt64,
        content: @escaping @Sendable () throws -> [UInt8],
        completion: @escaping (Result<Void, JournalError>) -> Void
    ) {
        answer(completion) {
            journal.saveSnapshot(
                of: room, offset: offset, version: version, content: content, completion: $0)
        }
    }

    package func loadSnapshot(
        of room: String, through offset: UInt64,
        completion: @escaping (Result<JournalSnapshot?, JournalError>) -> Void
    ) {
        answer(completion) { journal.loadSnapshot(of: room, through: offset, completion: $0) }
    }

    package func truncate(
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

/// What other threads have for the one that waits for it.
private final class Answers: Sendable {
    private let waiting = Mutex<[@Sendable () -> Void]>([])
    private let count = DispatchSemaphore(value: 0)

    func append(_ answer: @escaping @Sendable () -> Void) {
        waiting.withLock { $0.append(answer) }
        count.signal()
    }

    /// Takes them in order until `isEnough`; waits for those that aren't there yet.
    func take(until isEnough: () -> Bool) {
        while !isEnough() {
            count.wait()
            let answer = waiting.withLock { $0.removeFirst() }
            answer()
        }
    }
}
