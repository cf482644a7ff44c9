import StorecastTesting
import Testing

struct MemoryJournalConformanceTests {
    @Test(.timeLimit(.minutes(1)), arguments: JournalConformance.all)
    func `keeps what a journal promises`(_ check: JournalConformance) async throws {
        try await check.run { () throws(JournalError) in MemoryJournalStore(capacity: 10_000) }
    }
}
