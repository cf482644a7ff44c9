import Foundation
import GRDB
import StorecastSQLite
import StorecastTesting
import Testing
import TestSupport

/// Damaged files, put in order.
@Suite(.timeLimit(.minutes(30)), .fewAtATime)
@MainActor struct JournalRepairTests {
    private let directory: TemporaryDirectory
    private let path: String

    init() throws {
        directory = try TemporaryDirectory()
        path = directory.file("rooms.sqlite")
    }

    @Test func `a sound file is left as it is`() async throws {
        try await write(entries: 10, snapshots: [0, 4])
        let before = try Data(contentsOf: URL(filePath: path))
        #expect(try JournalRepair.run(on: path) == nil)
        #expect(try Data(contentsOf: URL(filePath: path)) == before)
        #expect(directory.names == ["rooms.sqlite"])
    }

    @Test(arguments: SQLiteDurability.allCases)
    func `what may lack its newest entries still does when it is repaired`(
        durability: SQLiteDurability
    ) async throws {
        _ = try await write(entries: 10, snapshots: [])
        // As the machine went down.
        try await damage(
            by: "UPDATE journal SET durability = '\(durability)', isClosed = 0, boot = 'first'")
        try await damage(by: "UPDATE entries SET checksum = 7 WHERE offset = 9")
        #expect(try JournalRepair.run(on: path) != nil)
        let file = try JournalFile(path)
        #expect(try file.mayLackEntries(boot: "second") == (durability == .process))
        #expect(try !file.mayLackEntries(boot: "first"))
        file.close()
    }

    /// What was changed in ten entries with snapshots at 0, 4 and 8; what is kept of the entries,
    /// from what snapshot on, and how many are lost.
    @Test(
        arguments: [
            // Behind the newest snapshot: everything before it is kept.
            ("UPDATE entries SET seq = 99 WHERE offset = 10", Array(1...9), nil, 1),
            ("UPDATE entries SET checksum = 7 WHERE offset = 9", Array(1...8), nil, 2),
            // Before it: it is newer than what is before the damage.
            ("UPDATE entries SET payload = '{}' WHERE offset = 3", [9, 10], 8, 0),
            ("DELETE FROM entries WHERE offset = 5", [9, 10], 8, 0),
            ("UPDATE entries SET seq = 1 WHERE offset IN (3, 10)", [9], 8, 1),
            // Nothing says that what follows the snapshot's own entry follows the snapshot.
            ("DELETE FROM entries WHERE offset = 8", [], 8, 2),
            // The snapshot too: the one before it.
            (
                "UPDATE snapshots SET checksum = 7 WHERE offset = 8; DELETE FROM entries WHERE offset = 2",
                [5, 6, 7, 8, 9, 10], 4, 0
            ),
            (
                "UPDATE snapshots SET size = 7 WHERE offset > 0; DELETE FROM entries WHERE offset = 2",
                [1], nil, 8
            ),
            ("DELETE FROM snapshots; UPDATE entries SET seq = 9 WHERE offset = 1", [], nil, 10),
        ] as [(String, [UInt64], UInt64?, Int)])
    func `the newest good state is kept, and the rest is said`(
        _ change: String, kept: [UInt64], start: UInt64?, lost: Int
    ) async throws {
        let epoch = try await write(entries: 10, snapshots: [0, 4, 8])
        try await damage(by: change)
        let repair = try #require(try JournalRepair.run(on: path))
        let room = try #require(repair.rooms.first)
        #expect(room.kept == kept.count)
        #expect(room.start?.offset == start)
        #expect(room.lostEntries == lost)
        #expect(
            room.forgotten + room.kept + lost + (change.contains("DELETE FROM e") ? 1 : 0) == 10)
        let bench = try await bench()
        #expect(try await bench.read("/a", after: start ?? 0).map(\.offset) == kept)
        let snapshot = try await bench.snapshot(of: "/a", through: .max)
        if let start { #expect(snapshot == Self.snapshot(at: start)) }
        #expect(try await bench.history(of: "/a").epoch != epoch, "Positions may be gone.")
        #expect(try await bench.history(of: "/a").head == kept.last ?? start ?? 0)
        try await bench.append(JournalSample.notes(1, from: 20), to: "/a")
        await bench.close()
        #expect(try JournalRepair.run(on: path) == nil, "It is sound now.")
    }

    @Test func `a room that isn't damaged stays what it is`() async throws {
        try await write(entries: 10, snapshots: [4])
        let bench = try await bench()
        try await bench.append(JournalSample.notes(3), to: "/b")
        let history = try await bench.history(of: "/b")
        await bench.close()
        try await damage(by: "UPDATE entries SET seq = 99 WHERE offset = 7")
        let repair = try #require(try JournalRepair.run(on: path))
        #expect(repair.rooms.map(\.isWhole) == [false, true])
        #expect(repair.rooms[0].lost == 7...10)
        #expect(repair.rooms[0].lostActions == ["ada": 4])
        let again = try await self.bench()
        #expect(try await again.history(of: "/b") == history)
        #expect(try await again.read("/b").map(\.record.seq) == [1, 2, 3])
        await again.close()
    }

    /// What was written over the row of a room with three entries.
    @Test(arguments: [
        "DELETE FROM rooms WHERE name = '/b'", "UPDATE rooms SET name = '' WHERE name = '/b'",
        "UPDATE rooms SET floor = -1 WHERE name = '/b'",
    ])
    func `entries of a room that can't be told are counted, and other rooms stay`(
        _ change: String
    ) async throws {
        let epoch = try await write(entries: 10, snapshots: [])
        let bench = try await bench()
        try await bench.append(JournalSample.notes(3), to: "/b")
        await bench.close()
        try await damage(by: change)
        let repair = try #require(try JournalRepair.run(on: path))
        #expect(repair.strays == 3)
        #expect(repair.rooms.map(\.name) == ["/a"])
        let again = try await self.bench()
        #expect(try await again.history(of: "/a").epoch == epoch)
        #expect(try await again.history(of: "/b").head == 0)
        await again.close()
    }

    @Test func `the damaged file is kept, under a name that is free`() async throws {
        try await write(entries: 4, snapshots: [])
        for number in 1...2 {
            try await damage(by: "UPDATE entries SET seq = 99 WHERE offset = \(4 - number)")
            let before = try Data(contentsOf: URL(filePath: path))
            let repair = try #require(try JournalRepair.run(on: path))
            #expect(repair.damagedFile.hasSuffix("rooms.sqlite-damaged-\(number)"))
            #expect(try Data(contentsOf: URL(filePath: repair.damagedFile)) == before)
        }
    }

    @Test func `a crashed server's log is read, kept with its file, and not applied to the new`()
        async throws
    {
        try await write(entries: 300, snapshots: [])
        let bench = try await bench()
        try await bench.append(JournalSample.notes(3), to: "/b")
        let crashed = try bench.copyFiles(of: path, to: directory.file("crashed.sqlite"))
        await bench.close()
        var bytes = try Data(contentsOf: URL(filePath: crashed))
        let place = try #require(bytes.range(of: Data("{\"text\":\"150\"}".utf8)))
        bytes.replaceSubrange(place, with: Data("{\"text\":\"XXX\"}".utf8))
        try bytes.write(to: URL(filePath: crashed))
        let repair = try #require(try JournalRepair.run(on: crashed))
        #expect(repair.rooms.map(\.kept) == [149, 3])
        #expect(!directory.names.contains("crashed.sqlite-wal"))
        #expect(directory.names.contains("crashed.sqlite-damaged-1-wal"))
        let file = try JournalFile(crashed)
        #expect(try file.entries(of: "/a", after: 0).map(\.record?.seq) == Array(1...149))
        #expect(try file.entries(of: "/b", after: 0).map(\.record?.seq) == [1, 2, 3])
        #expect(try file.isSound())
        file.close()
    }

    @Test func `a file that a server uses is left to it`() async throws {
        let bench = try await bench()
        #expect(throws: JournalError.self) { try JournalRepair.run(on: path) }
        await bench.close()
    }

    /// The pages of these entries, of 500 with a snapshot at 300, are overwritten.
    @Test(arguments: [[250], [1], [500], [100, 400]])
    func `what lies on a page that is broken is lost alone`(_ broken: [UInt64]) async throws {
        let epoch = try await write(entries: 500, snapshots: [300])
        for entry in broken { try breakPage(of: entry) }
        let repair = try #require(try JournalRepair.run(on: path))
        let room = try #require(repair.rooms.first)
        #expect(!repair.unreadable.isEmpty)
        for entry in broken {
            #expect(repair.unreadable.contains { $0.contains(entry) }, "\(repair.unreadable)")
        }
        let gone = repair.unreadable.reduce(0) {
            $0 + Int(min($1.upperBound, 500) - $1.lowerBound + 1)
        }
        #expect(gone < 60 * broken.count, "A page holds no more.")
        #expect(room.kept + room.forgotten + room.lostEntries + gone == 500)
        let bench = try await bench()
        let start = room.start?.offset ?? 0
        let entries = try await bench.read("/a", after: start)
        #expect(entries.map(\.offset) == Array(start + 1..<start + 1 + UInt64(room.kept)))
        #expect(start == (broken[0] < 300 ? 300 : 0))
        #expect(try await bench.history(of: "/a").epoch != epoch)
        await bench.close()
    }

    @Test func `a file of which nothing can be read says so, and is left as it is`() async throws {
        try await write(entries: 10, snapshots: [])
        let file = try FileHandle(forUpdating: URL(filePath: path))
        try file.write(contentsOf: Data(repeating: 0xA5, count: 4096))
        try file.close()
        #expect(throws: JournalError.self) { try JournalRepair.run(on: path) }
        #expect(directory.names == ["rooms.sqlite"])
    }

    @discardableResult
    private func write(entries: UInt64, snapshots: [UInt64]) async throws -> String {
        let bench = try await bench()
        try await bench.append(JournalSample.notes(entries), to: "/a")
        for offset in snapshots { try await bench.save(Self.snapshot(at: offset), of: "/a") }
        let epoch = try await bench.history(of: "/a").epoch
        await bench.close()
        return epoch
    }

    private func damage(by change: String) async throws {
        var configuration = Configuration()
        configuration.foreignKeysEnabled = false
        let file = try DatabaseQueue(path: path, configuration: configuration)
        try await file.write { try $0.execute(sql: change) }
        try file.close()
    }

    /// Overwrites the page that has the entry's payload.
    private func breakPage(of entry: UInt64) throws {
        var bytes = try Data(contentsOf: URL(filePath: path))
        let place = try #require(bytes.range(of: Data("{\"text\":\"\(entry)\"}".utf8)))
        let start = place.lowerBound / 4096 * 4096
        bytes.replaceSubrange(start..<start + 4096, with: Data(repeating: 0xA5, count: 4096))
        try bytes.write(to: URL(filePath: path))
    }

    private func bench() async throws(JournalError) -> JournalBench {
        let path = path
        return try await JournalBench { () throws(JournalError) in
            try await SQLiteStore.open(path)
        }
    }

    private static func snapshot(at offset: UInt64) -> JournalSnapshot {
        JournalSnapshot(offset: offset, version: offset, content: Array("\(offset)".utf8))
    }
}
