import Foundation
import Logging
import StorecastClient
import StorecastServer
import StorecastTesting
import TestSupport
import Testing
@testable import StorecastSQLite

/// Files that were written once, `Tests/Vectors/sqlite`: each version of the code reads them.
///
/// Version 1 of the file is the oldest that is read: from before a file could shrink, and without
/// skipped entries. `TEST_WRITE_FIXTURES=1` writes the texts anew. Those that are there stay:
/// a new format gets new ones.
@Suite(.timeLimit(.minutes(30)), .fewAtATime)
@MainActor struct SQLiteFixtureTests {
    private let directory: TemporaryDirectory
    private let path: String

    init() throws {
        directory = try TemporaryDirectory()
        path = directory.file("rooms.sqlite")
    }

    @Test func `what is written today is what was written then`() async throws {
        let journal = try await FixtureJournal(at: path)
        try Self.check(
            SQLText.dump(path).replacing("auto_vacuum = 2", with: "auto_vacuum = 0"),
            is: "rooms-1.sql")
        for _ in 0..<3 { try await journal.crash(at: 22, of: FixtureJournal.skipped) }
        try await journal.end()
        try Self.check(SQLText.dump(path), is: "rooms-2.sql")
        try await journal.crash(at: 23, of: FixtureJournal.skipped)
        try Self.check(ReducingText.dump(path + "-reducing"), is: "rooms-2.reducing.txt")
    }

    @Test(arguments: [1, 2])
    func `everything in a file of each version is read`(version: Int) async throws {
        try load(version)
        let text = try Self.text("rooms-\(version).sql")
        let bench = try await bench()
        #expect(bench.store.reports == [])
        var offset: UInt64 = 0
        for (name, entries) in FixtureJournal.rooms {
            var expected: [(offset: UInt64, record: JournalRecord)] = []
            for entry in entries {
                offset += 1
                var record = try JournalRecord(entry)
                if version == 2, offset == 22 { record.rejection = FixtureJournal.skipRejection }
                expected.append((offset, record))
            }
            let floor: UInt64 = name == FixtureJournal.counted ? 3 : 0
            expected.removeAll { $0.offset <= floor }
            let read = try await bench.read(name, after: floor)
            #expect(read.map(\.offset) == expected.map(\.offset), "\(name)")
            #expect(read.map(\.record) == expected.map(\.record), "\(name)")
            #expect(try await bench.history(of: name).head == offset, "\(name)")
            let epoch = try await bench.history(of: name).epoch
            #expect(text.contains("'\(epoch)'"), "\(name)")
        }
        let room = FixtureJournal.counted
        let snapshot = try #require(try await bench.snapshot(of: room, through: .max))
        #expect(snapshot.offset == 3 && snapshot.version == 3)
        #expect(text.contains(SQLText.hex(Data(snapshot.content))))
        #expect(try await bench.snapshot(of: room, through: 2) == nil, "It was forgotten.")
        await bench.expectError("truncated", { $0 == .truncated(below: 4) }) {
            () async throws(JournalError) in try await bench.read(room)
        }
        await bench.close()
    }

    @Test(arguments: [1, 2])
    func `a file of each version is sound, and goes on`(version: Int) async throws {
        try load(version)
        let file = try JournalFile(path)
        #expect(try file.isSound())
        let skipped = try file.entries(of: FixtureJournal.skipped, after: 0).map(\.isSkipped)
        #expect(skipped == [false, version == 2, false])
        file.close()
        let bench = try await bench()
        for (index, room) in JournalSample.lookAlikes.enumerated() {
            let seq = UInt64(index) + 2
            #expect(
                try await bench.append(JournalSample.notes(1, from: seq), to: room)
                    == 24 + UInt64(index))
        }
        try await bench.save(
            JournalSnapshot(offset: 23, version: 3, content: [1]), of: FixtureJournal.skipped)
        try await bench.truncate(FixtureJournal.skipped, through: 22)
        #expect(try await bench.read(FixtureJournal.skipped, after: 22).map(\.offset) == [23])
        await bench.close()
        #expect(try JournalRepair.run(on: path) == nil)
    }

    @Test(arguments: [1, 2])
    func `a server goes on with what is in it`(version: Int) async throws {
        try load(version)
        let server = SyncServer(
            port: 0, journal: .sqlite(path),
            logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() },
            rooms: { _ in Count.room })
        let connection = RemoteConnection(try await server.start())
        let store = RemoteStore(Count.total, on: connection)
        var states = store.states.makeAsyncIterator()
        #expect(try #require(await states.next(isolation: #isolation)) == 5)
        #expect(try await connection.dispatch(Count.Add()).outcome.version == 6)
        connection.close()
        await server.stop()
    }

    @Test func `a note of what was being reduced counts`() async throws {
        try load(2)
        try ReducingText.load(Self.text("rooms-2.reducing.txt"), to: path + "-reducing")
        let bench = try await bench()
        let reports = bench.store.reports
        await bench.close()
        #expect(reports.count == 1)
        #expect(
            reports.first?.hasPrefix(
                "The process ended once while it reduced the entry at offset 23 (Note) of room "
                    + "'/skipped'.") == true, "\(reports)")
    }

    private func load(_ version: Int) throws {
        try SQLText.load(Self.text("rooms-\(version).sql"), to: path)
    }

    private func bench() async throws(JournalError) -> JournalBench {
        let path = path
        return try await JournalBench { () throws(JournalError) in
            try await SQLiteStore.open(path)
        }
    }

    private static func text(_ name: String) throws -> String {
        try String(contentsOf: url(name), encoding: .utf8)
    }

    private static func check(_ text: String, is name: String) throws {
        if ProcessInfo.processInfo.environment["TEST_WRITE_FIXTURES"] == "1" {
            try Data(text.utf8).write(to: url(name))
        }
        let lines = text.split(separator: "\n")
        let expected = try self.text(name).split(separator: "\n")
        for (line, expected) in zip(lines, expected) { #expect(line == expected, "\(name)") }
        #expect(lines.count == expected.count, "\(name)")
    }

    private static func url(_ name: String) -> URL {
        URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().appending(path: "Vectors/sqlite/\(name)")
    }
}
