import GRDB
import StorecastSQLite
import StorecastTesting
import Testing
import TestSupport

/// Files in which something isn't what was written.
@Suite(.timeLimit(.minutes(30)), .fewAtATime)
@MainActor struct DamagedJournalTests {
    private let directory: TemporaryDirectory
    private let path: String

    init() throws {
        directory = try TemporaryDirectory()
        path = directory.file("rooms.sqlite")
    }

    /// What was changed in ten entries, how many are read then, and where the damage is told.
    @Test(arguments: [
        ("UPDATE entries SET payload = replace(payload, '5', '6') WHERE offset = 5", 4, 5),
        ("UPDATE entries SET seq = 99 WHERE offset = 1", 0, 1),
        ("UPDATE entries SET checksum = checksum + 1 WHERE offset = 4", 3, 4),
        ("DELETE FROM entries WHERE offset = 7", 6, 8),
        ("UPDATE entries SET offset = 11 WHERE offset = 3", 2, 4),
        (
            """
            INSERT INTO entries (offset, room, checksum, client, seq, base, settled, sender, time,
                seed, schema, type, payload)
            SELECT 11, room, checksum, client, seq, base, settled, sender, time, seed, schema, type,
                payload FROM entries WHERE offset = 10
            """, 10, 11
        ),
        ("UPDATE rooms SET seal = seal + 1", 0, 1),
        ("UPDATE entries SET roles = 'no JSON' WHERE offset = 10", 9, 10),
    ])
    func `damage is told with its offset, and what is before it is read`(
        _ change: String, sound: UInt64, damaged: Int
    ) async throws {
        let bench = try await bench(entries: 10)
        try await damage(by: change)
        try await bench.reopen()
        let reader = JournalReader(bench.journal, "/a", after: 0)
        await reader.caughtUp()
        let failure = try #require(reader.failure)
        #expect(failure == .damaged(failure.text))
        #expect(failure.text.contains("offset \(damaged) "), "\(failure.text)")
        #expect(reader.entries.map(\.offset) == Array(1..<sound + 1))
        #expect(reader.timesCaughtUp == 0)
        await bench.close()
    }

    @Test func `a snapshot that isn't what was written is passed over`() async throws {
        let bench = try await bench(entries: 10)
        let (old, new) = (snapshot(at: 4), snapshot(at: 9))
        try await bench.save(old, of: "/a")
        try await bench.save(new, of: "/a")
        try await damage(
            by: """
                UPDATE snapshotParts SET content = x'00'
                WHERE snapshot = (SELECT id FROM snapshots WHERE offset = 9)
                """)
        try await bench.reopen()
        #expect(try await bench.snapshot(of: "/a", through: .max) == old)
        await #expect(throws: JournalError.self) { try await bench.truncate("/a", through: 9) }
        await bench.close()
    }

    @Test func `a snapshot that wasn't finished is none, and is gone after opening`() async throws {
        let bench = try await bench(entries: 10)
        try await bench.save(snapshot(at: 4), of: "/a")
        try await damage(by: "UPDATE snapshots SET isWhole = 0")
        try await bench.reopen()
        #expect(try await bench.snapshot(of: "/a", through: .max) == nil)
        await bench.close()
        let file = try DatabaseQueue(path: path)
        #expect(
            try await file.read { try Int.fetchOne($0, sql: "SELECT count(*) FROM snapshotParts") }
                == 0)
    }

    @Test func `entries behind an intact place are read although older ones are damaged`()
        async throws
    {
        let bench = try await bench(entries: 10)
        try await damage(by: "UPDATE entries SET payload = '{}' WHERE offset = 3")
        try await bench.reopen()
        #expect(try await bench.read("/a", after: 5).map(\.offset) == [6, 7, 8, 9, 10])
        await bench.close()
    }

    private func bench(entries count: UInt64) async throws -> JournalBench {
        let path = path
        let bench = try await JournalBench { () throws(JournalError) in
            try await SQLiteStore.open(path)
        }
        try await bench.append(JournalSample.notes(count), to: "/a")
        return bench
    }

    private func damage(by change: String) async throws {
        let file = try DatabaseQueue(path: path)
        try await file.write { try $0.execute(sql: change) }
        try file.close()
    }

    private func snapshot(at offset: UInt64) -> JournalSnapshot {
        JournalSnapshot(offset: offset, version: offset, content: Array("\(offset)".utf8))
    }
}
