import CustomDump
import IssueReporting
package import StorecastRoom

/// A journal under test, with the main actor as its loop and async functions for its calls.
@MainActor package final class JournalBench {
    private let open: @Sendable () async throws(JournalError) -> any JournalStore
    package private(set) var store: any JournalStore
    package private(set) var journal: any Journal

    package init(
        _ open: @escaping @Sendable () async throws(JournalError) -> any JournalStore
    ) async throws(JournalError) {
        self.open = open
        store = try await open()
        journal = store.journal { work in Task { @MainActor in work() } }
    }

    package func close() async { await store.close() }

    /// Closes the store and opens it again, as after a restart of the server.
    package func reopen() async throws(JournalError) {
        await store.close()
        store = try await open()
        journal = anotherJournal()
    }

    /// The journal of another loop.
    package func anotherJournal() -> any Journal {
        store.journal { work in Task { @MainActor in work() } }
    }

    package func history(of room: String) async throws(JournalError) -> RoomHistory {
        try await answer { journal.open(room, completion: $0) }.get()
    }

    @discardableResult
    package func append(
        _ batch: [JournalEntry], to room: String, in journal: (any Journal)? = nil
    ) async throws(JournalError) -> UInt64 {
        try await answer { (journal ?? self.journal).append(batch, to: room, completion: $0) }.get()
    }

    /// All entries after `offset`.
    package func read(
        _ room: String, after offset: UInt64 = 0
    ) async throws(JournalError) -> [ReadEntry] {
        let reader = JournalReader(journal, room, after: offset)
        await reader.caughtUp()
        reader.cancel()
        if let failure = reader.failure { throw failure }
        return reader.entries
    }

    package func save(_ snapshot: JournalSnapshot, of room: String) async throws(JournalError) {
        try await save(of: room, offset: snapshot.offset, version: snapshot.version) {
            snapshot.content
        }
    }

    package func save(
        of room: String, offset: UInt64, version: UInt64,
        content: @escaping @Sendable () throws -> [UInt8]
    ) async throws(JournalError) {
        try await answer {
            journal.saveSnapshot(
                of: room, offset: offset, version: version, content: content, completion: $0)
        }.get()
    }

    package func snapshot(
        of room: String, through offset: UInt64
    ) async throws(JournalError) -> JournalSnapshot? {
        try await answer { journal.loadSnapshot(of: room, through: offset, completion: $0) }.get()
    }

    package func truncate(_ room: String, through offset: UInt64) async throws(JournalError) {
        try await answer { journal.truncate(room, through: offset, completion: $0) }.get()
    }

    /// Fails the test, with the difference, unless the two are equal.
    package func expect<Value: Equatable>(_ value: Value, _ expected: Value) {
        expectNoDifference(value, expected)
    }

    /// Fails the test unless `body` throws an error that `isExpected`.
    package func expectError<Value>(
        _ expectation: String, _ isExpected: (JournalError) -> Bool,
        from body: () async throws(JournalError) -> Value
    ) async {
        do throws(JournalError) {
            _ = try await body()
            reportIssue("The journal did it, instead of saying: \(expectation).")
        } catch {
            if !isExpected(error) { reportIssue("The journal said \(error), not: \(expectation).") }
        }
    }

    private func answer<Value: Sendable>(
        _ ask: (@escaping (Result<Value, JournalError>) -> Void) -> Void
    ) async -> Result<Value, JournalError> {
        await withCheckedContinuation { continuation in
            // A second answer traps.
            ask { continuation.resume(returning: $0) }
        }
    }
}

/// An entry as a journal gives it back.
package struct ReadEntry: Equatable {
    package var offset: UInt64
    package var record: JournalRecord

    package init(offset: UInt64, record: JournalRecord) {
        self.offset = offset
        self.record = record
    }
}

/// Follows a room's journal and records its events.
@MainActor package final class JournalReader {
    package private(set) var entries: [ReadEntry] = []
    /// Those that it was told of, each with the number of entries before.
    package private(set) var terms: [(id: String, place: Int)] = []
    package private(set) var pages = 0
    package private(set) var timesCaughtUp = 0
    package private(set) var failure: JournalError?
    /// How many entries it takes before it cancels itself.
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
        case .term(let id): terms.append((id, entries.count))
        case .caughtUp: timesCaughtUp += 1
        case .failed(let error): failure = error
        }
        if entries.count >= limit { cancel() }
        let due = waiters.filter { $0.isDue(self) || failure != nil }
        waiters.removeAll { $0.isDue(self) || failure != nil }
        for (_, continuation) in due { continuation.resume() }
    }
}
