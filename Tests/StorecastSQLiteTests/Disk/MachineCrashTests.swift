import Foundation
import StorecastSQLite
import StorecastTesting
import Testing
import TestSupport

/// A machine that crashes between any two writes of a run, with a disk that keeps what was synced
/// and any part of the rest.
@MainActor struct MachineCrashTests {
    private static let room = "/crash"
    private static let batches: [UInt64] = [1, 3, 1, 40, 2, 1, 7, 1]
    /// STORECAST_CRASHES=20 has every place crash twenty times.
    private static let crashesAtEach =
        ProcessInfo.processInfo.environment["STORECAST_CRASHES"].flatMap { Int($0) } ?? 1

    @Test(.timeLimit(.minutes(10)))
    func `what was acknowledged is there after a crash of the machine, and no batch in part`()
        async throws
    {
        try await crashEverywhere(.machine) { left, acked, comment in
            #expect(left.last >= acked, comment)
            #expect(acked == 0 || left.isSameEpoch, comment)
        }
    }

    @Test(.timeLimit(.minutes(10)))
    func `what is less durable may be gone, and then the epoch is another`() async throws {
        var losses = 0
        try await crashEverywhere(.process) { left, acked, comment in
            if left.last < acked { losses += 1 }
            #expect(left.last >= acked || !left.isSameEpoch, comment)
        }
        #expect(losses > 0, "Or the test above shows nothing.")
    }

    /// What a crash left of the room.
    private struct Left {
        /// How many entries were there, or are in the snapshot.
        var last: UInt64
        var isSameEpoch: Bool
    }

    private func crashEverywhere(
        _ durability: SQLiteDurability,
        _ check: (_ left: Left, _ acked: UInt64, Comment) -> Void
    ) async throws {
        let directory = try TemporaryDirectory()
        let disk = FaultyDisk(under: directory.file("run.sqlite"))
        defer { disk.remove() }
        disk.record()
        let epoch = try await run(in: directory, on: disk, durability)
        let (operations, acks) = disk.recording
        #expect(operations.count > 100, "The run is worth it.")
        for place in 0...operations.count {
            let acked = acks.last { $0.place <= place }?.note ?? 0
            for crash in 0..<Self.crashesAtEach {
                let seed = UInt64(place * 1_000 + crash)
                let comment: Comment = "place \(place), seed \(seed)"
                var random = SeededGenerator(seed: seed)
                let image = CrashImage(of: operations[..<place], &random)
                let left = try await restart(on: image, durability, epoch, comment)
                check(left, UInt64(acked), comment)
            }
        }
    }

    /// Appends batch by batch, takes snapshots and forgets, and closes.
    private func run(
        in directory: TemporaryDirectory, on disk: FaultyDisk, _ durability: SQLiteDurability
    ) async throws -> String {
        let bench = try await JournalBench { () throws(JournalError) in
            try await SQLiteStore.open(
                directory.file("run.sqlite"), durability: durability, boot: "first")
        }
        var next: UInt64 = 1
        for (index, count) in Self.batches.enumerated() {
            let head = try await bench.append(
                JournalSample.notes(count, from: next), to: Self.room)
            next += count
            disk.note(Int(next - 1))
            guard index == 3 || index == 5 else { continue }
            try await bench.save(Self.snapshot(at: head), of: Self.room)
            if index == 5 { try await bench.truncate(Self.room, through: head - 3) }
        }
        let epoch = try await bench.history(of: Self.room).epoch
        await bench.close()
        return epoch
    }

    private func restart(
        on image: CrashImage, _ durability: SQLiteDurability, _ epoch: String, _ comment: Comment
    ) async throws -> Left {
        let directory = try TemporaryDirectory()
        for (file, bytes) in image.contents {
            try Data(bytes).write(to: URL(filePath: directory.file("run.sqlite" + file.suffix)))
        }
        let bench = try await JournalBench { () throws(JournalError) in
            try await SQLiteStore.open(
                directory.file("run.sqlite"), durability: durability, boot: "second")
        }
        let snapshot = try await bench.snapshot(of: Self.room, through: .max)
        if let snapshot { #expect(snapshot == Self.snapshot(at: snapshot.offset), comment) }
        let start = snapshot?.offset ?? 0
        let entries = try await bench.read(Self.room, after: start)
        // One room has the file to itself, so offsets count what was appended.
        let last = UInt64(entries.count) + start
        #expect(entries.map(\.record.seq) == Array(start + 1..<last + 1), comment)
        #expect(Self.ends.contains(last), comment)
        try await bench.append(JournalSample.notes(1, from: last + 1), to: Self.room)
        let isSameEpoch = try await bench.history(of: Self.room).epoch == epoch
        await bench.close()
        return Left(last: last, isSameEpoch: isSameEpoch)
    }

    /// How many entries there are after each batch.
    private static let ends = batches.reduce(into: [0]) { ends, count in
        ends.append(ends[ends.count - 1] + count)
    }

    private static func snapshot(at offset: UInt64) -> JournalSnapshot {
        JournalSnapshot(
            offset: offset, version: offset,
            content: (0..<20_000).map { UInt8(truncatingIfNeeded: $0 &* Int(offset)) })
    }
}
