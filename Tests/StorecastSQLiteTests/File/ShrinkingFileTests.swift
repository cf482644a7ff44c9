import Foundation
import StorecastSQLite
import StorecastTesting
import Testing
import TestSupport

/// How large a file is when it was told to forget.
@Suite(.timeLimit(.minutes(30)), .fewAtATime)
@MainActor struct ShrinkingFileTests {
    @Test func `a file gives back what it doesn't need any more, but for a reserve`() async throws {
        let directory = try TemporaryDirectory()
        let path = directory.file("rooms.sqlite")
        let bench = try await JournalBench { () throws(JournalError) in
            try await SQLiteStore.open(path)
        }
        for first in stride(from: 1, to: 5_000, by: 500) as StrideTo<UInt64> {
            try await bench.append(JournalSample.notes(500, from: first), to: "/a")
        }
        try await bench.reopen()
        let before = try size(of: path)
        try await bench.save(
            JournalSnapshot(offset: 5_000, version: 5_000, content: [1]), of: "/a")
        try await bench.truncate("/a", through: 4_900)
        #expect(try await bench.read("/a", after: 4_900).count == 100)
        await bench.close()
        #expect(try size(of: path) < before / 3)
        #expect(try JournalRepair.run(on: path) == nil)
    }

    private func size(of path: String) throws -> Int {
        try FileManager.default.attributesOfItem(atPath: path)[.size] as? Int ?? 0
    }
}
