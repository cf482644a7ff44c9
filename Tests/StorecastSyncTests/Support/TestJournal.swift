import StorecastSync

/// A journal whose appends end when and how a test says.
final class TestJournal: Journal {
    private(set) var pending: [(batch: [JournalEntry], finish: (Bool) -> Void)] = []
    private(set) var entries: [JournalEntry] = []
    /// How many of the next appends fail at once.
    var failures = 0
    /// Whether appends end at once.
    var isImmediate: Bool

    init(isImmediate: Bool = false) {
        self.isImmediate = isImmediate
    }

    func append(
        _ batch: [JournalEntry], to room: String,
        completion: @escaping (Result<UInt64, JournalError>) -> Void
    ) {
        let finish = { [unowned self] (works: Bool) in
            if works {
                entries += batch
                completion(.success(UInt64(entries.count)))
            } else {
                completion(.failure(.unavailable("The test says so.")))
            }
        }
        if failures > 0 {
            failures -= 1
            finish(false)
        } else if isImmediate {
            finish(true)
        } else {
            pending.append((batch, finish))
        }
    }

    /// Ends the append under way.
    func finish(_ works: Bool = true) {
        guard !pending.isEmpty else { return }
        pending.removeFirst().finish(works)
    }

    func open(
        _ room: String, completion: @escaping (Result<RoomHistory, JournalError>) -> Void
    ) {
        completion(.success(RoomHistory(epoch: "test-epoch", head: UInt64(entries.count))))
    }

    func tail(
        of room: String, after: UInt64, receive: @escaping (JournalTailEvent) -> Void
    ) -> any JournalTail {
        let kept = entries.enumerated().dropFirst(Int(after))
        do {
            receive(.entries(try kept.map { (UInt64($0 + 1), try JournalRecord($1)) }))
            receive(.caughtUp)
        } catch {
            receive(.failed(.damaged("\(error)")))
        }
        return Tail()
    }

    func saveSnapshot(
        of room: String, offset: UInt64, version: UInt64,
        content: @escaping @Sendable () throws -> [UInt8],
        completion: @escaping (Result<Void, JournalError>) -> Void
    ) {
        completion(.failure(.unavailable("The test keeps no snapshots.")))
    }

    func loadSnapshot(
        of room: String, through offset: UInt64,
        completion: @escaping (Result<JournalSnapshot?, JournalError>) -> Void
    ) {
        completion(.success(nil))
    }

    func truncate(
        _ room: String, through offset: UInt64,
        completion: @escaping (Result<Void, JournalError>) -> Void
    ) {
        completion(.failure(.unavailable("The test forgets nothing.")))
    }

    private final class Tail: JournalTail {
        func cancel() {}
    }
}
