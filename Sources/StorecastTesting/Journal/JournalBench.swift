import CustomDump
import IssueReporting
package import StorecastRoom

/// A journal under test, on the main actor as its loop, asked and answered in a line.
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

    /// Closes the store and opens it again, as a server does that is started again.
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

    /// Everything behind `offset` that is kept now.
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
