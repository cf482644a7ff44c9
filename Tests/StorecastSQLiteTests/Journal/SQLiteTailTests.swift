import StorecastRoom
import StorecastSQLite
import StorecastTesting
import Synchronization
import Testing
import TestSupport

@Suite(.timeLimit(.minutes(30)), .fewAtATime)
struct SQLiteTailTests {
    /// A loop that does its work when the test says so.
    private final class HeldLoop: Sendable {
        private let work = Mutex<[@Sendable () -> Void]>([])

        func add(_ piece: @escaping @Sendable () -> Void) { work.withLock { $0.append(piece) } }

        /// The next piece of work, when it is there.
        func next() async throws -> @Sendable () -> Void {
            try #require(await eventually { work.withLock { !$0.isEmpty } })
            return work.withLock { $0.removeFirst() }
        }
    }

    @Test @MainActor
    func `what is appended while a page is read is read next`() async throws {
        let directory = try TemporaryDirectory()
        let store = try await SQLiteStore.open(directory.file("journal.sqlite"))
        let loop = HeldLoop()
        let journal = store.journal(on: loop.add)
        var seqs: [UInt64] = []
        let tail = journal.tail(of: "/a", after: 0) { event in
            if case .entries(let entries) = event { seqs += entries.map(\.record.seq) }
        }
        let page = try await loop.next()
        journal.append(JournalSample.notes(1), to: "/a") { _ in }
        try await loop.next()()
        page()
        #expect(seqs.isEmpty)
        try await loop.next()()
        #expect(seqs == [1])
        tail.cancel()
        await store.close()
    }
}
