import Foundation
import GRDB
import StorecastSQLite
import StorecastTesting
import Testing
import TestSupport

/// Backups that become the journal again.
@Suite(.timeLimit(.minutes(30)), .fewAtATime)
@MainActor struct JournalRestoreTests {
    private let directory: TemporaryDirectory
    private let path: String
    private let backup: String

    init() throws {
        directory = try TemporaryDirectory()
        path = directory.file("rooms.sqlite")
        backup = directory.file("backup.sqlite")
    }

    @Test func `every room has another epoch, also one that nothing happened in`() async throws {
        let epochs = try await makeBackup()
        #expect(try JournalRestore.run(from: .file(backup), to: path, replaces: false).kept == nil)
        let bench = try await bench()
        #expect(try await bench.read("/a").map(\.record.seq) == [1, 2, 3])
        for (room, epoch) in epochs {
            #expect(try await bench.history(of: room).epoch != epoch, "\(room)")
        }
        await bench.close()
        #expect(directory.names == ["backup.sqlite", "rooms.sqlite"])
    }

    @Test func `a file that is there is replaced only if that is said, and kept then`()
        async throws
    {
        try await makeBackup()
        let bench = try await bench()
        try await bench.append(JournalSample.notes(1), to: "/other")
        await bench.close()
        let before = try Data(contentsOf: URL(filePath: path))
        #expect(throws: JournalError.self) {
            try JournalRestore.run(from: .file(backup), to: path, replaces: false)
        }
        #expect(try Data(contentsOf: URL(filePath: path)) == before)
        let kept = try JournalRestore.run(from: .file(backup), to: path, replaces: true).kept
        #expect(kept?.hasSuffix("rooms.sqlite-replaced-1") == true)
        #expect(try Data(contentsOf: URL(filePath: kept ?? "")) == before)
        let file = try JournalFile(path)
        #expect(try file.rooms().map(\.name) == ["/a"])
        file.close()
    }

    @Test func `a crashed server's log is kept with its file, and not applied to the new one`()
        async throws
    {
        try await makeBackup()
        let bench = try await bench()
        try await bench.append(JournalSample.notes(3), to: "/other")
        let crashed = try bench.copyFiles(of: path, to: directory.file("crashed.sqlite"))
        await bench.close()
        #expect(try Data(contentsOf: URL(filePath: crashed + "-wal")).count > 4096)
        let kept = try #require(
            try JournalRestore.run(from: .file(backup), to: crashed, replaces: true).kept)
        #expect(!directory.names.contains("crashed.sqlite-wal"))
        for (path, name) in [(crashed, "/a"), (kept, "/other")] {
            let file = try JournalFile(path)
            #expect(try file.rooms().map(\.name) == [name])
            #expect(try file.entries(of: name, after: 0).map(\.record?.seq) == [1, 2, 3])
            #expect(try file.isSound())
            file.close()
        }
    }

    @Test func `a file that a server uses isn't replaced`() async throws {
        try await makeBackup()
        let bench = try await bench()
        #expect(throws: JournalError.self) {
            try JournalRestore.run(from: .file(backup), to: path, replaces: true)
        }
        await bench.close()
    }

    @Test func `a damaged backup is refused, and the file that is there stays`() async throws {
        try await makeBackup()
        try await bench().close()
        let before = directory.names
        let other = try DatabaseQueue(path: backup)
        try await other.write { try $0.execute(sql: "UPDATE entries SET seq = 9 WHERE offset = 2") }
        try other.close()
        #expect(throws: JournalError.self) {
            try JournalRestore.run(from: .file(backup), to: path, replaces: true)
        }
        #expect(directory.names == before)
    }

    /// The epochs that rooms have before it is restored.
    @discardableResult
    private func makeBackup() async throws -> [String: String] {
        let original = directory.file("original.sqlite")
        let bench = try await JournalBench { () throws(JournalError) in
            try await SQLiteStore.open(original)
        }
        try await bench.append(JournalSample.notes(3), to: "/a")
        let epochs = try await [
            "/a": bench.history(of: "/a").epoch, "/b": bench.history(of: "/b").epoch,
        ]
        let file = try JournalFile(original)
        try file.backUp(to: backup)
        file.close()
        await bench.close()
        try FileManager.default.removeItem(atPath: original)
        return epochs
    }

    private func bench() async throws(JournalError) -> JournalBench {
        let path = path
        return try await JournalBench { () throws(JournalError) in
            try await SQLiteStore.open(path)
        }
    }
}
