import Foundation
import GRDB
import StorecastTesting
import TestSupport
import Testing
@testable import StorecastSQLite

/// A run of a journal with two rooms, and what is left of it after a crash.
@MainActor struct CrashedRun {
    typealias Rooms = [String: Room]

    /// What there is of a room.
    struct Room {
        /// The offset of the newest entry, 0 for none; nil if the file doesn't have the room.
        var last: UInt64?
        /// The offset of the newest snapshot.
        var snapshot: UInt64?
        var floor: UInt64 = 0
        var isSameEpoch = true

        func hasEntries(of other: Room) -> Bool { last ?? 0 >= other.last ?? 0 }

        func hasSnapshot(of other: Room) -> Bool {
            other.snapshot.map { $0 <= snapshot ?? 0 && snapshot != nil } ?? true
        }

        func has(_ other: Room) -> Bool {
            hasEntries(of: other) && hasSnapshot(of: other) && floor >= other.floor
        }
    }

    private enum Step {
        case append(UInt64)
        /// At the newest entry.
        case snapshot
        /// All entries but so many.
        case truncate(keeping: UInt64)
        case checkpoint
    }

    private static let steps: [(room: String, Step)] = [
        ("/a", .append(1)), ("/a", .append(3)), ("/b", .snapshot), ("/b", .append(2)),
        ("/a", .append(1)), ("/a", .append(1)), ("/a", .checkpoint), ("/a", .append(40)),
        ("/a", .snapshot),
        ("/b", .append(5)), ("/a", .append(2)), ("/a", .snapshot), ("/a", .truncate(keeping: 3)),
        ("/b", .append(1)), ("/a", .append(7)), ("/b", .append(1)),
    ]

    /// What had been acknowledged, by the number that the disk noted.
    private(set) var acked: [Rooms] = []
    private let durability: SQLiteDurability
    /// The offsets of each room's entries; they have the numbers from 1 on as their `seq`.
    private var offsets: [String: [UInt64]] = ["/a": [], "/b": []]
    private var batchEnds: [String: Set<UInt64>] = ["/a": [0], "/b": [0]]
    private var epochs: [String: String] = [:]
    /// What was found in images that were looked at; many crashes leave the same.
    private var known: [[DiskFile: [UInt8]]: Rooms] = [:]

    /// Runs on a disk, which notes each acknowledgement.
    init(at path: String, on disk: FaultyDisk, _ durability: SQLiteDurability) async throws {
        self.durability = durability
        let bench = try await Self.bench(path, durability, boot: "first")
        var rooms: Rooms = [:]
        for (room, step) in Self.steps {
            let last = rooms[room]?.last ?? 0
            switch step {
            case .append(let count):
                rooms[room, default: Room()].last = try await append(count, to: room, bench)
            case .snapshot:
                try await bench.save(Self.snapshot(at: last), of: room)
                rooms[room, default: Room(last: 0)].snapshot = last
            case .truncate(let count):
                try await bench.truncate(room, through: last - count)
                rooms[room]?.floor = offsets[room]?.last { $0 <= last - count } ?? 0
            case .checkpoint: try await Self.checkpoint(bench)
            }
            disk.note(acked.count)
            acked.append(rooms)
        }
        for room in offsets.keys { epochs[room] = try await bench.history(of: room).epoch }
        await bench.close()
    }

    /// Starts again on what a crash left; expects that it is in order, and goes on.
    mutating func restart(on image: CrashImage, _ comment: Comment) async throws -> Rooms {
        if let rooms = known[image.files] { return rooms }
        let directory = try TemporaryDirectory()
        let path = directory.file("run.sqlite")
        for (file, bytes) in image.files {
            try Data(bytes).write(to: URL(filePath: path + file.suffix))
        }
        let bench = try await Self.bench(path, durability, boot: "second")
        let file = try JournalFile(path)
        let found = try file.rooms()
        var rooms: Rooms = [:]
        for name in offsets.keys.sorted() {
            let row = found.first { $0.name == name }
            rooms[name] = try await room(name, row, bench, comment)
        }
        file.close()
        await bench.close()
        known[image.files] = rooms
        return rooms
    }

    private func room(
        _ name: String, _ row: JournalRoom?, _ bench: JournalBench, _ comment: Comment
    ) async throws -> Room {
        let floor = row?.floor ?? 0
        let entries = try await bench.read(name, after: floor)
        let last = entries.last?.offset ?? floor
        let all = offsets[name] ?? []
        #expect(entries.map(\.offset) == all.filter { floor < $0 && $0 <= last }, comment)
        let seqs = entries.map { entry in all.firstIndex(of: entry.offset).map { UInt64($0) + 1 } }
        #expect(entries.map(\.record.seq) == seqs, comment)
        #expect(batchEnds[name]?.contains(last) == true, comment)
        let snapshot = try await bench.snapshot(of: name, through: .max)
        if let snapshot { #expect(snapshot == Self.snapshot(at: snapshot.offset), comment) }
        #expect((snapshot?.offset ?? 0) <= last, comment)
        #expect(floor <= snapshot?.offset ?? 0, comment)
        let isSameEpoch = try await bench.history(of: name).epoch == epochs[name]
        let next = UInt64(all.prefix { $0 <= last }.count) + 1
        try await bench.append(JournalSample.notes(1, from: next), to: name)
        return Room(
            last: row == nil ? nil : last, snapshot: snapshot?.offset, floor: floor,
            isSameEpoch: isSameEpoch)
    }

    private mutating func append(
        _ count: UInt64, to room: String, _ bench: JournalBench
    ) async throws -> UInt64 {
        let first = UInt64(offsets[room]?.count ?? 0) + 1
        let head = try await bench.append(JournalSample.notes(count, from: first), to: room)
        offsets[room]?.append(contentsOf: head - count + 1...head)
        batchEnds[room]?.insert(head)
        return head
    }

    /// Has SQLite write the log's content to the main file.
    private static func checkpoint(_ bench: JournalBench) async throws {
        let store = try #require(bench.store as? SQLiteStore)
        try await withCheckedContinuation { continuation in
            store.writer.write {
                try $0.execute(sql: "PRAGMA wal_checkpoint(PASSIVE)")
            } completion: {
                continuation.resume(returning: $0)
            }
        }.get()
    }

    private static func bench(
        _ path: String, _ durability: SQLiteDurability, boot: String
    ) async throws -> JournalBench {
        try await JournalBench { () throws(JournalError) in
            try await SQLiteStore.open(path, durability: durability, boot: boot)
        }
    }

    private static func snapshot(at offset: UInt64) -> JournalSnapshot {
        JournalSnapshot(
            offset: offset, version: offset,
            content: (0..<6_000).map { UInt8(truncatingIfNeeded: $0 &* Int(offset)) })
    }
}
