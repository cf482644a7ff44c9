package import StorecastRoom

/// An entry as a journal gives it back.
package struct ReadEntry: Equatable {
    package var offset: UInt64
    package var record: JournalRecord
}

/// Follows a room's journal and notes what it is told.
@MainActor package final class JournalReader {
    package private(set) var entries: [ReadEntry] = []
    package private(set) var pages = 0
    package private(set) var timesCaughtUp = 0
    package private(set) var failure: JournalError?
    /// Cancels itself when it has got so many entries.
    var limit = Int.max
    private var tail: (any JournalTail)?
    private var waiters: [(isDue: (JournalReader) -> Bool, CheckedContinuation<Void, Never>)] = []

    package init(_ journal: any Journal, _ room: String, after offset: UInt64) {
        let tail = journal.tail(of: room, after: offset) { [weak self] event in
            MainActor.assumeIsolated { self?.take(event) }
        }
        self.tail = tail
    }

    package func cancel() { tail?.cancel() }

    /// Waits until it is caught up, or has failed.
    package func caughtUp() async { await wait { $0.timesCaughtUp > 0 } }

    /// Waits until it has so many entries, or has failed.
    package func wait(forEntries count: Int) async { await wait { $0.entries.count >= count } }

    private func wait(for isDue: @escaping (JournalReader) -> Bool) async {
        if isDue(self) || failure != nil { return }
        await withCheckedContinuation { waiters.append((isDue, $0)) }
    }

    private func take(_ event: JournalTailEvent) {
        switch event {
        case .entries(let records):
            pages += 1
            entries += records.map { ReadEntry(offset: $0.offset, record: $0.record) }
        case .caughtUp: timesCaughtUp += 1
        case .failed(let error): failure = error
        }
        if entries.count >= limit { cancel() }
        let due = waiters.filter { $0.isDue(self) || failure != nil }
        waiters.removeAll { $0.isDue(self) || failure != nil }
        for (_, continuation) in due { continuation.resume() }
    }
}
