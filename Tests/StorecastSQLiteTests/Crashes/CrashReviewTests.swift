import Foundation
import GRDB
@testable import StorecastSQLite
import StorecastTesting
import Testing
import TestSupport

/// What is done about entries whose reducing the process didn't survive.
///
/// A crash is a file that is put back as it was while they were being reduced.
@Suite(.timeLimit(.minutes(30)), .fewAtATime)
@MainActor struct CrashReviewTests {
    private let directory: TemporaryDirectory
    private let path: String

    init() async throws {
        directory = try TemporaryDirectory()
        path = directory.file("rooms.sqlite")
        let bench = try await bench()
        // Offsets 1 to 3 and 4 to 6.
        for room in ["/a", "/b"] { try await bench.append(JournalSample.notes(3), to: room) }
        await bench.close()
    }

    @Test func `after three crashes in a row at an entry it is rejected, for whoever reads it`()
        async throws
    {
        let before = try await read("/a")
        for _ in 0..<3 { try await crash(at: 2, of: "/a") }
        let bench = try await bench()
        let report = try #require(bench.store.reports.first)
        #expect(report.contains("WITHOUT") && report.contains("offset 2 (Note) of room '/a'"))
        var expected = before
        expected[1].record.rejection = Rejection(
            .internal, "The server failed to reduce the action.",
            detail: "It ended 3 times in a row while it tried.")
        #expect(try await bench.read("/a") == expected)
        await bench.close()
        // It stays so, and the file is one that older versions don't open.
        #expect(try await read("/a") == expected)
        let file = try JournalFile(path)
        let entries = try file.entries(of: "/a", after: 0)
        #expect(entries.map(\.isSkipped) == [false, true, false])
        #expect(entries.map(\.isIntact) == [true, true, true])
        #expect(try file.isSound())
        file.close()
        #expect(try schema() == 2)
        #expect(try await reports() == [])
    }

    @Test func `crashes elsewhere, and those before an end in order, don't count`() async throws {
        try await crash(at: 2, of: "/a")
        try await crash(at: 5, of: "/b")
        try await crash(at: 2, of: "/a")
        #expect(try await reports(afterCrash: true).count == 2)
        try await crash(at: 3, of: "/a")
        try await crash(at: 2, of: "/a")
        try await crash(at: 2, of: "/a")
        #expect(try await reports(afterCrash: true).contains { $0.contains("2 times in a row") })
        #expect(try await reports().contains { $0.contains("2 times in a row") })
        // That was an end in order.
        #expect(try await reports() == [])
        try await crash(at: 2, of: "/a")
        #expect(try await reports().contains { $0.contains("ended once") })
        #expect(try await read("/a").map(\.record.rejection) == [nil, nil, nil])
        #expect(try schema() == 1)
    }

    @Test(arguments: [2, 3] as [UInt64])
    func `an entry that is reduced after all, alone or with later ones, begins anew`(
        last: UInt64
    ) async throws {
        for _ in 0..<2 { try await crash(at: 2, of: "/a") }
        try await crash { journal in
            for offset in 1...last { journal.reducing(offset, of: "/a", isNew: false) }
            journal.reduced()
            journal.reducing(5, of: "/b", isNew: false)
        }
        try await crash(at: 2, of: "/a")
        let reports = try await reports()
        #expect(reports.count == 2)
        #expect(reports.allSatisfy { $0.contains("ended once") })
    }

    @Test(arguments: [true, false])
    func `a room that isn't to go on, or whose action was reduced once, isn't opened`(
        stops: Bool
    ) async throws {
        let policy = stops ? CrashPolicy.stop() : .skip()
        for _ in 0..<3 { try await crash(at: 2, of: "/a", isNew: stops) }
        let bench = try await bench(policy)
        await bench.expectError("the room isn't opened") { error in
            guard case .damaged(let problem) = error else { return false }
            return problem.contains("journal skip '\(path)' --room '/a' --offset 2")
                && problem.contains("may have been told") == !stops
        } from: { () throws(JournalError) in
            try await bench.history(of: "/a")
        }
        let other = try await bench.history(of: "/b")
        #expect(other.head == 6)
        await bench.close()
        let epoch = try epoch(of: "/a")
        #expect(try JournalSkip.run(on: path, room: "/a", offset: 2) == "Note")
        #expect(try await read("/a")[1].record.rejection?.code == .internal)
        #expect(throws: JournalError.self) {
            try JournalSkip.run(on: path, room: "/a", offset: 2)
        }
        // Its versions mean other states than before, and those of another room don't.
        #expect(try self.epoch(of: "/a") != epoch)
        #expect(try self.epoch(of: "/b") == other.epoch)
    }

    @Test func `of two such entries in a row the second is as new as the first was`() async throws {
        for _ in 0..<3 { try await crash(at: 2, of: "/a") }
        // It comes from the log now; nobody was told of it, as its room ended at the one before.
        for _ in 0..<3 { try await crash(at: 3, of: "/a", isNew: false) }
        #expect(try await reports().contains { $0.contains("WITHOUT") && $0.contains("offset 3") })
        #expect(try await read("/a").map(\.record.rejection?.code) == [nil, .internal, .internal])
    }

    @Test func `what is in a snapshot was reduced, and can't be skipped`() async throws {
        let bench = try await bench()
        for offset in 1...2 as ClosedRange<UInt64> {
            try await bench.save(
                JournalSnapshot(offset: offset, version: offset, content: Array("{}".utf8)),
                of: "/a")
        }
        await bench.close()
        #expect(throws: JournalError.self) {
            try JournalSkip.run(on: path, room: "/a", offset: 2)
        }
        #expect(try JournalSkip.run(on: path, room: "/a", offset: 3) == "Note")
    }

    @Test func `a tombstone is in a backup, a restored file and a repaired one`() async throws {
        _ = try JournalSkip.run(on: path, room: "/b", offset: 5)
        let file = try JournalFile(path)
        try file.backUp(to: directory.file("backup.sqlite"))
        file.close()
        let restored = directory.file("restored.sqlite")
        _ = try JournalRestore.run(
            from: .file(directory.file("backup.sqlite")), to: restored, replaces: false)
        let database = try DatabaseQueue(path: path)
        try await database.write { try $0.execute(sql: "DELETE FROM entries WHERE offset = 1") }
        try database.close()
        _ = try #require(try JournalRepair.run(on: path))
        for file in [path, restored].map({ try? JournalFile($0) }) {
            let entries = try #require(try file?.entries(of: "/b", after: 0))
            #expect(entries.map(\.record?.rejection?.code) == [nil, .internal, nil])
            #expect(entries.map(\.isSkipped) == [false, true, false])
            file?.close()
        }
    }

    @Test func `a tombstone goes with its entry`() async throws {
        _ = try JournalSkip.run(on: path, room: "/a", offset: 2)
        let bench = try await bench()
        try await bench.save(
            JournalSnapshot(offset: 3, version: 2, content: Array("{}".utf8)), of: "/a")
        try await bench.truncate("/a", through: 3)
        await bench.close()
        let database = try DatabaseQueue(path: path)
        let count = try await database.read {
            try Int.fetchOne($0, sql: "SELECT count(*) FROM tombstones")
        }
        try database.close()
        #expect(count == 0)
    }

    @Test func `what was noted of another file under the name doesn't count`() async throws {
        for _ in 0..<2 { try await crash(at: 2, of: "/a") }
        try FileManager.default.removeItem(atPath: path)
        let bench = try await bench()
        #expect(bench.store.reports == [])
        await bench.close()
    }

    // MARK: Crashes

    private func crash(at offset: UInt64, of room: String, isNew: Bool = true) async throws {
        try await crash { $0.reducing(offset, of: room, isNew: isNew) }
    }

    private func crash(during body: (any Journal) -> Void) async throws {
        let bench = try await bench()
        body(bench.journal)
        try await end(bench, byCrash: true)
    }

    private func end(_ bench: JournalBench, byCrash: Bool) async throws {
        let url = URL(filePath: path + "-reducing")
        let noted = try Data(contentsOf: url)
        await bench.close()
        if byCrash { try noted.write(to: url) }
    }

    /// What a server says that is started now, and crashes elsewhere or ends in order.
    private func reports(afterCrash: Bool = false) async throws -> [String] {
        let bench = try await bench()
        let reports = bench.store.reports
        try await end(bench, byCrash: afterCrash)
        return reports
    }

    private func bench(_ policy: CrashPolicy = .skip()) async throws(JournalError) -> JournalBench {
        let path = path
        return try await JournalBench { () throws(JournalError) in
            try await SQLiteStore.open(path, crashes: policy)
        }
    }

    private func read(_ room: String) async throws -> [ReadEntry] {
        let bench = try await bench()
        let entries = try await bench.read(room)
        await bench.close()
        return entries
    }

    private func epoch(of room: String) throws -> String? {
        let database = try DatabaseQueue(path: path)
        defer { try? database.close() }
        return try database.read {
            try String.fetchOne(
                $0, sql: "SELECT epoch FROM rooms WHERE name = ?", arguments: [room])
        }
    }

    private func schema() throws -> Int? {
        let database = try DatabaseQueue(path: path)
        defer { try? database.close() }
        return try database.read { try Int.fetchOne($0, sql: "PRAGMA user_version") }
    }
}
