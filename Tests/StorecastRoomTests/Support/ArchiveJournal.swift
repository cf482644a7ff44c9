import StorecastRoom

/// A durable journal in memory, whose rooms can be opened again: it keeps all records and
/// snapshots, delivers small pages, and can be told to fail.
final class ArchiveJournal: Journal {
    var isDurable: Bool { true }
    var entries: [JournalRecord] = []
    /// Oldest first.
    var snapshots: [JournalSnapshot] = []
    /// Everything up to here is forgotten.
    private(set) var truncated: UInt64 = 0
    /// What the next saving of a snapshot ends with; nil leaves it waiting.
    var savesSnapshots: Result<Void, JournalError>? = .success(())
    /// Whether a batch is kept a second time, as if its first append had had no answer.
    var keepsTwice = false
    private(set) var waitingSnapshots: [() -> Void] = []
    /// How many entries were delivered by tails.
    private(set) var delivered = 0
    let pageSize = 7
    /// Whether tails wait for ``answer()``.
    var isSlow = false
    private var questions: [() -> Void] = []

    var head: UInt64 { UInt64(entries.count) }

    func open(
        _ room: String, completion: @escaping (Result<RoomHistory, JournalError>) -> Void
    ) {
        completion(.success(RoomHistory(epoch: "archive", head: head)))
    }

    func append(
        _ batch: [JournalEntry], to room: String,
        completion: @escaping (Result<UInt64, JournalError>) -> Void
    ) {
        do {
            let records = try batch.map { try JournalRecord($0) }
            entries += keepsTwice ? records + records : records
            completion(.success(head))
        } catch {
            completion(.failure(.unfit(place: 0, "\(error)")))
        }
    }

    func tail(
        of room: String, after: UInt64, receive: @escaping (JournalTailEvent) -> Void
    ) -> any JournalTail {
        if isSlow {
            questions.append { [unowned self] in deliver(after, receive) }
        } else {
            deliver(after, receive)
        }
        return Tail()
    }

    /// Has the tails delivered that waited.
    func answer() {
        let waiting = questions
        questions = []
        for question in waiting { question() }
    }

    private func deliver(_ after: UInt64, _ receive: (JournalTailEvent) -> Void) {
        guard after >= truncated else {
            return receive(.failed(.truncated(below: truncated + 1)))
        }
        var offset = Int(after)
        while offset < entries.count {
            let page = offset..<min(offset + pageSize, entries.count)
            delivered += page.count
            receive(.entries(page.map { (UInt64($0 + 1), entries[$0]) }))
            offset = page.upperBound
        }
        receive(.caughtUp)
    }

    func saveSnapshot(
        of room: String, offset: UInt64, version: UInt64,
        content: @escaping @Sendable () throws -> [UInt8],
        completion: @escaping (Result<Void, JournalError>) -> Void
    ) {
        guard let result = savesSnapshots else {
            waitingSnapshots.append { [unowned self] in
                savesSnapshots = .success(())
                saveSnapshot(
                    of: room, offset: offset, version: version, content: content,
                    completion: completion)
            }
            return
        }
        do {
            let content = try content()
            if case .success = result {
                snapshots.append(
                    JournalSnapshot(offset: offset, version: version, content: content))
            }
            completion(result)
        } catch {
            completion(.failure(.unfit(place: 0, "\(error)")))
        }
    }

    func loadSnapshot(
        of room: String, through offset: UInt64,
        completion: @escaping (Result<JournalSnapshot?, JournalError>) -> Void
    ) {
        completion(.success(snapshots.last { $0.offset <= offset }))
    }

    func truncate(
        _ room: String, through offset: UInt64,
        completion: @escaping (Result<Void, JournalError>) -> Void
    ) {
        truncated = offset
        snapshots.removeAll { $0.offset < offset }
        completion(.success(()))
    }

    private final class Tail: JournalTail {
        func cancel() {}
    }
}
