import Foundation
import GRDB
import StorecastSQLite
import StorecastTesting
import Testing
import TestSupport

/// A journal's file, looked at while a server has it.
@Suite(.timeLimit(.minutes(30)), .fewAtATime)
@MainActor struct JournalFileTests {
    private let directory: TemporaryDirectory
    private let path: String

    init() throws {
        directory = try TemporaryDirectory()
        path = directory.file("rooms.sqlite")
    }

    @Test func `rooms and entries are read beside the server, and nothing is left behind`()
        async throws
    {
        let bench = try await bench()
        try await bench.append(JournalSample.notes(2), to: "/b")
        try await bench.append(JournalSample.notes(3), to: "/a")
        let file = try JournalFile(path)
        let rooms = try file.rooms()
        #expect(rooms.map(\.name) == ["/a", "/b"])
        #expect(rooms.map(\.entries) == [3, 2])
        #expect(rooms.map(\.head) == [5, 2])
        #expect(rooms.map(\.floor) == [0, 0])
        let epoch = try await bench.history(of: "/a").epoch
        #expect(rooms[0].epoch == epoch)
        let entries = try file.entries(of: "/a", after: 3, limit: 1)
        #expect(entries.map(\.offset) == [4])
        #expect(entries.map(\.record?.seq) == [2])
        #expect(entries.map(\.isIntact) == [true])
        #expect(try file.entries(of: "/nowhere", after: 0).isEmpty)
        await bench.close()
        file.close()
        #expect(directory.names == ["rooms.sqlite"])
    }

    @Test(.enabled(if: geteuid() != 0, "The administrator may write everywhere."))
    func `a folder that can't be written is named`() async throws {
        try await bench().append(JournalSample.notes(2), to: "/b")
        let folder = URL(filePath: path).deletingLastPathComponent().path
        chmod(folder, 0o500)
        defer { chmod(folder, 0o700) }
        let error = #expect(throws: JournalError.self) { try JournalFile(path) }
        #expect(error?.text.contains("'\(folder)' can't be written") == true)
    }

    @Test func `an entry that isn't what was written is said to be so, and passed`() async throws {
        let bench = try await bench()
        try await bench.append(JournalSample.notes(4), to: "/a")
        await bench.close()
        let other = try DatabaseQueue(path: path)
        try await other.write { try $0.execute(sql: "UPDATE entries SET seq = 9 WHERE offset = 2") }
        try other.close()
        let file = try JournalFile(path)
        #expect(
            try file.entries(of: "/a", after: 0).map(\.isIntact) == [true, false, true, true])
        file.close()
    }

    @Test func `a backup of a file in use is a journal with what was there`() async throws {
        let bench = try await bench()
        try await bench.append(JournalSample.notes(3), to: "/a")
        let file = try JournalFile(path)
        let copy = directory.file("backup.sqlite")
        try file.backUp(to: copy)
        #expect(throws: JournalError.self, "It is there already.") { try file.backUp(to: copy) }
        try await bench.append(JournalSample.notes(1, from: 4), to: "/a")
        let restored = try await JournalBench { () throws(JournalError) in
            try await SQLiteStore.open(copy)
        }
        #expect(try await restored.read("/a").map(\.record.seq) == [1, 2, 3])
        await restored.close()
        file.close()
        await bench.close()
    }

    @Test func `a file is read while no server can use it`() async throws {
        let bench = try await bench()
        try await bench.append(JournalSample.notes(1), to: "/a")
        await #expect(throws: JournalError.self) {
            try await JournalFile.whileUnused(path) { _ in Issue.record("A server uses it.") }
        }
        await bench.close()
        let names = try await JournalFile.whileUnused(path) { file in
            await #expect(throws: JournalError.self) { try await self.bench() }
            return try file.names()
        }
        #expect(names == ["/a"])
        #expect(directory.names == ["rooms.sqlite"])
        try await self.bench().close()
    }

    /// Until a server is started, which gives the rooms new epochs then.
    @Test(arguments: SQLiteDurability.allCases)
    func `a file that was in use when the machine went down may lack entries, if nothing waited`(
        durability: SQLiteDurability
    ) async throws {
        let store = try await SQLiteStore.open(path, durability: durability, boot: "first")
        let file = try JournalFile(path)
        #expect(try !file.mayLackEntries(boot: "first"))
        #expect(try file.mayLackEntries(boot: "second") == (durability == .process))
        await store.close()
        #expect(try !file.mayLackEntries(boot: "second"))
        file.close()
    }

    @Test func `a file that isn't there isn't made`() {
        #expect(throws: JournalError.self) { try JournalFile(path) }
        #expect(directory.names.isEmpty)
    }

    private func bench() async throws(JournalError) -> JournalBench {
        let path = path
        return try await JournalBench { () throws(JournalError) in
            try await SQLiteStore.open(path)
        }
    }
}
