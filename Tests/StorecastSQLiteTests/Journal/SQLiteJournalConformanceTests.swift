import StorecastSQLite
import StorecastTesting
import Testing
import TestSupport

@Suite(.fewAtATime) struct SQLiteJournalConformanceTests {
    @Test(.timeLimit(.minutes(30)), arguments: JournalConformance.all)
    func `keeps what a journal promises`(_ check: JournalConformance) async throws {
        let directory = try TemporaryDirectory()
        try await check.run { () throws(JournalError) in
            try await SQLiteStore.open(directory.file("journal.sqlite"))
        }
    }
}
