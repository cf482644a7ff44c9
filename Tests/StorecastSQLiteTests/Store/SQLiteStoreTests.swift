import Dispatch
import Foundation
import GRDB
@testable import StorecastSQLite
import StorecastTesting
import Synchronization
import Testing
import TestSupport

/// The opening and sharing of a journal's file.
@Suite(.timeLimit(.minutes(30)), .fewAtATime)
@MainActor struct SQLiteStoreTests {
    private let directory: TemporaryDirectory
    private let path: String

    init() throws {
        directory = try TemporaryDirectory()
        path = directory.file("rooms.sqlite")
    }

    @Test func `one process at a time serves from a file`() async throws {
        let bench = try await bench()
        let second = await refusal()
        #expect(second == .unavailable(second.text))
        #expect(second.text.contains("process \(getpid())"), "\(second.text)")
        await bench.close()
        try await self.bench().close()
    }

    @Test func `a symbolic link is the file that it leads to`() async throws {
        let bench = try await bench()
        let link = directory.file("link.sqlite")
        try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: path)
        await #expect(throws: JournalError.self) { try await SQLiteStore.open(link) }
        await bench.close()
    }

    @Test func `the files are for their owner alone, and only one is left`() async throws {
        let bench = try await bench()
        try await bench.append(JournalSample.notes(1), to: "/a")
        #expect(directory.names.count == 5, "\(directory.names)")
        for name in directory.names {
            let attributes = try FileManager.default.attributesOfItem(atPath: directory.file(name))
            #expect(attributes[.posixPermissions] as? Int == 0o600, "\(name)")
        }
        await bench.close()
        #expect(directory.names == ["rooms.sqlite"])
    }

    @Test func `another program's file is left as it is`() async throws {
        let stranger = try DatabaseQueue(path: path)
        try await stranger.write { try $0.execute(sql: "CREATE TABLE t (x)") }
        try stranger.close()
        let before = try Data(contentsOf: URL(filePath: path))
        let refusal = await refusal()
        #expect(refusal == .damaged(refusal.text))
        #expect(refusal.text.contains(path) && refusal.text.contains("not a journal"))
        #expect(try Data(contentsOf: URL(filePath: path)) == before)
        #expect(directory.names == ["rooms.sqlite"])
    }

    @Test func `a file of something else is no journal`() async throws {
        let text = Data(String(repeating: "dear diary, ", count: 1_000).utf8)
        try text.write(to: URL(filePath: path))
        let refusal = await refusal()
        #expect(refusal == .damaged(refusal.text))
        #expect(try Data(contentsOf: URL(filePath: path)) == text)
    }

    @Test func `a file of a later version says so`() async throws {
        try await bench().close()
        let later = try DatabaseQueue(path: path)
        try await later.writeWithoutTransaction { try $0.execute(sql: "PRAGMA user_version = 99") }
        try later.close()
        let refusal = await refusal()
        #expect(refusal == .damaged(refusal.text))
        #expect(refusal.text.contains("later version") && refusal.text.contains("99"))
    }

    /// The writer looks for work, and sleeps if there is none: nothing may come in between.
    @Test func `a batch that comes while the writer falls asleep is written`() async throws {
        let store = try await SQLiteStore.open(path, durability: .process)
        let forgotten = await withCheckedContinuation { continuation in
            DispatchQueue.global().async {
                let isDone = DispatchSemaphore(value: 0)
                for seq in 1...10_000 as ClosedRange<UInt64> {
                    let batch = JournalSample.notes(1, from: seq)
                    store.writer.append(
                        AppendRequest(room: "/a", batch: batch) { _ in isDone.signal() })
                    if isDone.wait(timeout: .now() + 10) == .timedOut {
                        return continuation.resume(returning: seq as UInt64?)
                    }
                }
                continuation.resume(returning: nil)
            }
        }
        #expect(forgotten == nil)
        await store.close()
    }

    @Test func `a directory that isn't there is told`() async throws {
        await #expect(throws: JournalError.self) {
            try await SQLiteStore.open(directory.file("nowhere/rooms.sqlite"))
        }
    }

    @Test(arguments: zip(SQLiteDurability.allCases, [2, 1]))
    func `the disk is waited for as the durability says`(
        _ durability: SQLiteDurability, synchronous: Int
    ) async throws {
        let store = try await SQLiteStore.open(path, durability: durability)
        let found = await withCheckedContinuation { continuation in
            store.writer.write {
                try Int.fetchOne($0, sql: "PRAGMA synchronous")
            } completion: {
                continuation.resume(returning: $0)
            }
        }
        #expect(try found.get() == synchronous)
        await store.close()
    }

    @Test func `while another program has the file locked it is read, and written again later`()
        async throws
    {
        let path = path
        let bench = try await JournalBench { () throws(JournalError) in
            try await SQLiteStore.open(path, busyTimeout: .milliseconds(1))
        }
        try await bench.append(JournalSample.notes(1), to: "/a")
        var other = Configuration()
        other.allowsUnsafeTransactions = true
        let locker = try DatabaseQueue(path: path, configuration: other)
        try await locker.writeWithoutTransaction { try $0.beginTransaction(.immediate) }
        await #expect(throws: JournalError.self) {
            try await bench.append(JournalSample.notes(1, from: 2), to: "/a")
        }
        #expect(try await bench.read("/a").map(\.record.seq) == [1])
        try await locker.writeWithoutTransaction { try $0.rollback() }
        try await bench.append(JournalSample.notes(1, from: 2), to: "/a")
        #expect(try await bench.read("/a").map(\.record.seq) == [1, 2])
        try locker.close()
        await bench.close()
    }

    @Test func `everything that waits shares one wait for the disk`() async throws {
        let disk = FaultyDisk(under: path)
        defer { disk.remove() }
        let store = try await SQLiteStore.open(path)
        let (gate, done) = (DispatchSemaphore(value: 0), DispatchGroup())
        let heads = Mutex<Set<UInt64>>([])
        await withCheckedContinuation { isBusy in
            store.writer.write { _ in
                isBusy.resume()
                gate.wait()
            } completion: { _ in
            }
        }
        for number in 0..<100 {
            done.enter()
            store.writer.append(
                AppendRequest(room: "/\(number)", batch: JournalSample.notes(2)) { result in
                    if let head = try? result.get() { heads.withLock { _ = $0.insert(head) } }
                    done.leave()
                })
        }
        disk.record()
        gate.signal()
        await withCheckedContinuation { continuation in
            done.notify(queue: .main) { continuation.resume() }
        }
        #expect(heads.withLock(\.self) == Set(stride(from: 2, through: 200, by: 2)))
        #expect(disk.recording.operations.filter { $0 == .sync(.log) }.count == 1)
        await store.close()
    }

    @Test func `a file that was closed keeps its epochs wherever it is opened`() async throws {
        let first = try await SQLiteStore.open(path, durability: .process, boot: "first")
        await first.close()
        let second = try await SQLiteStore.open(path, durability: .process, boot: "second")
        #expect(first.history == second.history)
        await second.close()
    }

    /// What counts is how it was written, not how it goes on.
    @Test(arguments: SQLiteDurability.allCases, SQLiteDurability.allCases)
    func `a file that was copied while it was in use without waiting has other epochs`(
        before: SQLiteDurability, after: SQLiteDurability
    ) async throws {
        let first = try await SQLiteStore.open(path, durability: before, boot: "first")
        let copy = directory.file("copy.sqlite")
        for suffix in ["", "-wal"] {
            try FileManager.default.copyItem(atPath: path + suffix, toPath: copy + suffix)
        }
        let second = try await SQLiteStore.open(copy, durability: after, boot: "second")
        #expect((first.history == second.history) == (before == .machine))
        await first.close()
        await second.close()
    }

    @Test func `a room's name with a NUL character isn't taken for another`() async throws {
        let bench = try await bench()
        try await bench.append(JournalSample.notes(1), to: "/a")
        await #expect(throws: JournalError.self) { try await bench.history(of: "/a\u{0}b") }
        await #expect(throws: JournalError.self) {
            try await bench.append(JournalSample.notes(1), to: "/a\u{0}b")
        }
        #expect(try await bench.read("/a").count == 1)
        await bench.close()
    }

    @Test func `an entry that is too large is unfit`() async throws {
        let bench = try await bench()
        let note = JournalSample.Note(
            text: String(repeating: "x", count: EntryRow.largestText))
        do throws(JournalError) {
            try await bench.append(
                [JournalSample.entry(1, []), JournalSample.entry(2, [note])], to: "/a")
            Issue.record("It was taken.")
        } catch {
            #expect(error == .unfit(place: 1, error.text))
        }
        #expect(try await bench.read("/a").isEmpty)
        await bench.close()
    }

    private func bench() async throws(JournalError) -> JournalBench {
        let path = path
        return try await JournalBench { () throws(JournalError) in
            try await SQLiteStore.open(path)
        }
    }

    private func refusal() async -> JournalError {
        do throws(JournalError) {
            await (try SQLiteStore.open(path)).close()
            return .unavailable("It was opened.")
        } catch {
            return error
        }
    }
}

/// The file beside a journal's, which is removed whenever it is released.
@Suite(.timeLimit(.minutes(30)), .fewAtATime)
struct StoreLockTests {
    private let directory: TemporaryDirectory
    private let path: String

    init() throws {
        directory = try TemporaryDirectory()
        path = directory.file("rooms.sqlite")
    }

    /// Who opened the file in front of its removal, and locked it behind that, would have a lock
    /// that nobody else sees.
    @Test func `whoever takes it while it is released has it alone`() throws {
        let first = try StoreLock(path)
        var openings = 0
        let second = try StoreLock(path) {
            openings += 1
            if openings == 1 { first.release() }
        }
        #expect(openings == 2)
        #expect(throws: JournalError.self) { _ = try StoreLock(path) }
        second.release()
        #expect(directory.names == [])
    }

    @Test func `whoever comes too late while it changes hands is refused`() throws {
        let first = try StoreLock(path)
        var second: StoreLock?
        #expect(throws: JournalError.self) {
            _ = try StoreLock(path) {
                guard second == nil else { return }
                first.release()
                second = try? StoreLock(path)
            }
        }
        #expect(throws: JournalError.self) { _ = try StoreLock(path) }
        second?.release()
        #expect(directory.names == [])
    }

    @Test func `it is taken, refused to others, released and taken again`() throws {
        for _ in 1...3 {
            let lock = try StoreLock(path)
            #expect(directory.names == ["rooms.sqlite-lock"])
            let refusal = #expect(throws: JournalError.self) { _ = try StoreLock(path) }
            #expect(refusal?.text.contains("process \(getpid())") == true)
            lock.release()
            #expect(directory.names == [])
        }
    }

    @Test func `what a process left that died is no lock`() throws {
        try Data("1\n".utf8).write(to: URL(filePath: path + "-lock"))
        let lock = try StoreLock(path)
        #expect(throws: JournalError.self) { _ = try StoreLock(path) }
        lock.release()
        #expect(directory.names == [])
    }
}
