import StorecastTesting
import Testing

struct MemoryJournalConformanceTests {
    @Test(.timeLimit(.minutes(30)), arguments: JournalConformance.all)
    func `keeps what a journal promises`(_ check: JournalConformance) async throws {
        try await check.run { () throws(JournalError) in MemoryJournalStore(capacity: 10_000) }
    }
}

#if os(Linux)
    @Suite(.timeLimit(.minutes(30)))
    struct MemoryJournalTests {
        @Test func `paths that somebody asked for, and where nothing happened, cost nothing`() async
        {
            await #expect(processExitsWith: .success) {
                let journal = MemoryJournal()
                await requireFlatMemory(rounds: 50_000) { round in
                    journal.open("/a room that nobody ever uses, number \(round)") { _ in }
                }
            }
        }
    }
#endif
