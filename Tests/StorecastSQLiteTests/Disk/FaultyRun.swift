import Foundation
import StorecastSQLite
import StorecastTesting
import Testing
import TestSupport

/// A run on a disk that fails at one operation.
@MainActor final class FaultyRun {
    private static let room = "/fault"
    private let fault: DiskFault
    private let isLasting: Bool
    private let number: Int
    private let directory: TemporaryDirectory
    private let disk: FaultyDisk
    /// What the log has, with what may be there twice.
    private var appended: [UInt64] = []
    /// What failed, by the kinds of operations and by what the journal said of a batch.
    private(set) var failures: Set<String> = []
    /// How many operations it took.
    private var count = 0
    private var comment: Comment { "\(fault), lasting: \(isLasting), at operation \(number)" }
    private var path: String { directory.file("run.sqlite") }

    init(_ fault: DiskFault, _ isLasting: Bool, at number: Int) throws {
        self.fault = fault
        self.isLasting = isLasting
        self.number = number
        directory = try TemporaryDirectory()
        disk = FaultyDisk(under: directory.file("run.sqlite"))
    }

    /// The kinds of operations of a run on a good disk, in their order.
    static func operations(_ batches: [UInt64]) async throws -> [String] {
        let run = try FaultyRun(.full, false, at: .max)
        run.disk.record()
        _ = try await run.isHit(batches)
        return run.disk.recording.operations.prefix(run.count).map(\.kind)
    }

    /// Appends batches, takes a snapshot and looks at what is there; whether the run came to the
    /// operation at which the disk fails.
    func isHit(_ batches: [UInt64]) async throws -> Bool {
        defer { disk.remove() }
        disk.judge { [fault, isLasting, number] count, operation in
            (isLasting ? count >= number : count == number) ? fault.verdict(on: operation) : .done
        }
        let bench = try await open()
        var first: UInt64 = 1
        for count in batches {
            try await append(JournalSample.notes(count, from: first), bench)
            first += count
        }
        try await snapshot(bench)
        await bench.close()
        count = disk.count
        failures.formUnion(disk.failed)
        disk.putRight()
        try await check(path, snapshot: true)
        return count > number
    }

    /// The journal; on a disk that was put right if it can't be opened.
    private func open() async throws -> JournalBench {
        let path = path
        do {
            return try await JournalBench { () throws(JournalError) in
                try await SQLiteStore.open(path)
            }
        } catch {
            guard case .unavailable = error else { throw error }
            disk.putRight()
            return try await JournalBench { () throws(JournalError) in
                try await SQLiteStore.open(path)
            }
        }
    }

    /// As a room does: again what nobody can tell of, and again what was refused, as its clients
    /// send it again.
    private func append(_ batch: [JournalEntry], _ bench: JournalBench) async throws {
        var mayBeThere = false
        for attempt in 1... {
            do throws(JournalError) {
                try await bench.append(batch, to: Self.room)
                break
            } catch {
                switch error {
                case .unknownOutcome:
                    failures.insert("unknown outcome")
                    mayBeThere = true
                case .unavailable where !mayBeThere:
                    failures.insert("refused")
                    try await checkNothingIsThere()
                case .unavailable: break
                default: throw error
                }
            }
            // What was appended is still to be had meanwhile.
            #expect(try await bench.read(Self.room).map(\.record.seq) == appended, comment)
            if attempt == 3 { disk.putRight() }
        }
        appended += batch.map(\.seq)
    }

    /// Nor would be if the process died now.
    private func checkNothingIsThere() async throws {
        let copy = try TemporaryDirectory()
        for file in DiskFile.allCases
        where FileManager.default.fileExists(atPath: path + file.suffix) {
            try FileManager.default.copyItem(
                atPath: path + file.suffix, toPath: copy.file("copy.sqlite") + file.suffix)
        }
        try await check(copy.file("copy.sqlite"), snapshot: false)
    }

    private func snapshot(_ bench: JournalBench) async throws {
        let head = try await bench.history(of: Self.room).head
        for attempt in 1... {
            do throws(JournalError) {
                try await bench.save(Self.snapshot(at: head), of: Self.room)
                return
            } catch {
                guard case .unavailable = error else { throw error }
                if attempt == 3 { disk.putRight() }
            }
        }
    }

    private func check(_ path: String, snapshot isThere: Bool) async throws {
        let bench = try await JournalBench { () throws(JournalError) in
            try await SQLiteStore.open(path)
        }
        #expect(try await bench.read(Self.room).map(\.record.seq) == appended, comment)
        let head = try await bench.history(of: Self.room).head
        let snapshot = try await bench.snapshot(of: Self.room, through: .max)
        #expect(snapshot == (isThere ? Self.snapshot(at: head) : nil), comment)
        await bench.close()
    }

    private static func snapshot(at offset: UInt64) -> JournalSnapshot {
        JournalSnapshot(
            offset: offset, version: offset, content: Array(repeating: 7, count: 6_000))
    }
}
