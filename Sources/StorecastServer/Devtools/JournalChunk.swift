import StorecastRoom

/// Some entries of a room's journal, read once: up to a number or size, or to the end.
final class JournalChunk {
    typealias Record = (offset: UInt64, record: JournalRecord)

    private static let mostBytes = 4 << 20

    private(set) var records: [Record] = []
    /// Whether the journal has no more of them now.
    private(set) var isLast = false

    private let most: Int
    private let completion: (Result<JournalChunk, JournalError>) -> Void
    private var bytes = 0
    private var isOver = false
    private var tail: (any JournalTail)?

    /// Begins; `completion` is called once, possibly before this returns.
    init(
        of room: String, after offset: UInt64, most: Int, in journal: any Journal,
        completion: @escaping (Result<JournalChunk, JournalError>) -> Void
    ) {
        self.most = most
        self.completion = completion
        // The tail keeps this alive until it is over.
        let tail = journal.tail(of: room, after: offset) { event in self.take(event) }
        if isOver { tail.cancel() } else { self.tail = tail }
    }

    private func take(_ event: JournalTailEvent) {
        guard !isOver else { return }
        switch event {
        case .entries(let page):
            for record in page {
                records.append(record)
                bytes += record.record.actions.reduce(0) { $0 + $1.payload.count }
                if records.count >= most || bytes >= Self.mostBytes { return end(.success(self)) }
            }
        case .caughtUp:
            isLast = true
            end(.success(self))
        case .failed(let error): end(.failure(error))
        }
    }

    private func end(_ result: Result<JournalChunk, JournalError>) {
        isOver = true
        tail?.cancel()
        tail = nil
        completion(result)
    }
}
