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

    func entries(
        of room: String, after: UInt64
    ) throws(JournalError) -> [(offset: UInt64, entry: JournalEntry)] {
        entries.enumerated().dropFirst(Int(after)).map { (UInt64($0 + 1), $1) }
    }

    func head(of room: String) -> UInt64 { UInt64(entries.count) }

    func epoch(of room: String) -> String { "test-epoch" }
}
