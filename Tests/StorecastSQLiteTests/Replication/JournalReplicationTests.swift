import Foundation
import StorecastTesting
import TestSupport
import Testing
@testable import StorecastSQLite

/// Journals that are copied while they are written, and restored.
@Suite(.timeLimit(.minutes(30)), .fewAtATime)
@MainActor struct JournalReplicationTests {
    @Test func `what is written is copied, and restored with other epochs`() async throws {
        let replica = try await ReplicaBench()
        try await replica.bench.append(JournalSample.strangeOnes, to: "/strange")
        for room in JournalSample.lookAlikes {
            try await replica.bench.append(JournalSample.notes(30), to: room)
        }
        #expect(try replica.copy() > 3, "In several segments.")
        try await replica.bench.append(JournalSample.notes(2, from: 31), to: "/K")
        #expect(try replica.copy() == 1)
        let files = replica.generations[0].files.count
        #expect(try replica.copy() == 1)
        #expect(replica.generations[0].files.count == files, "Nothing is new.")
        let (file, report) = try replica.restore()
        defer { file.close() }
        #expect(report.segments == files && !report.isCut)
        for room in ["/strange"] + JournalSample.lookAlikes {
            #expect(try await file.records(of: room) == replica.bench.read(room), "\(room)")
            let epoch = try file.rooms().first { $0.name.isSameText(as: room) }?.epoch
            #expect(try await replica.bench.history(of: room).epoch != epoch)
        }
        #expect(
            try replica.directory.permissions("replica/\(replica.generations[0].name)") == 0o700)
        await replica.bench.close()
    }

    @Test func `a copier that was killed goes on, and of two in one folder one is refused`()
        async throws
    {
        let replica = try await ReplicaBench()
        try await replica.bench.append(JournalSample.notes(20), to: "/a")
        _ = try replica.step()
        #expect(throws: JournalError.self) {
            try JournalReplication(of: replica.path, to: replica.folder)
        }
        replica.kill()
        try Data("torn".utf8).write(to: URL(filePath: replica.segment(1) + "-unfinished"))
        try replica.copy()
        #expect(replica.generations.count == 1 && replica.said == [])
        let (file, _) = try replica.restore()
        #expect(try file.records(of: "/a").count == 20)
        file.close()
        await replica.bench.close()
    }

    @Test func `a restore ends at a time or an offset, in all rooms`() async throws {
        let replica = try await ReplicaBench()
        for seq in 1...20 as ClosedRange<UInt64> {
            for room in ["/a", "/b"] {
                try await replica.bench.append(JournalSample.notes(1, from: seq), to: room)
            }
            if seq % 5 == 0 { try replica.copy() }
        }
        let time = Timestamp(secondsSince1970: 1_000_007)
        let points = [
            (RestorePoint.time(time), 7, 7), (.offset(5), 3, 2), (.found { _ in 9 }, 5, 4),
        ]
        for (point, a, b) in points {
            let (file, report) = try replica.restore(point)
            #expect(try file.records(of: "/a").count == a)
            #expect(try file.records(of: "/b").count == b)
            #expect(report.isCut && report.offset == UInt64(a + b))
            file.close()
        }
        // Not of a time before all that.
        let early = RestorePoint.time(Timestamp(secondsSince1970: 1_000_000))
        let error = #expect(throws: JournalError.self) { try replica.restore(early) }
        guard case .unavailable(let text) = error else { throw try #require(error) }
        #expect(
            text.hasSuffix(
                "At 1970-01-12T13:46:40.000Z there was nothing yet: the first entry is of "
                    + "1970-01-12T13:46:41.000Z."))
        await replica.bench.close()
    }

    @Test func `entries that the server deleted before they were copied are in a snapshot`()
        async throws
    {
        let replica = try await ReplicaBench()
        try await replica.bench.append(JournalSample.notes(20), to: "/a")
        try await replica.bench.append(JournalSample.notes(20), to: "/b")
        _ = try replica.step()
        // The copier hasn't come to the end yet.
        try await replica.bench.append(JournalSample.notes(3, from: 21), to: "/a")
        let snapshot = JournalSnapshot(offset: 42, version: 22, content: [1, 2])
        try await replica.bench.save(snapshot, of: "/a")
        try await replica.bench.truncate("/a", through: 42)
        try replica.copy()
        let (file, _) = try replica.restore()
        #expect(try file.floor(of: "/a") == 42)
        #expect(try file.records(of: "/a").map(\.offset) == [43])
        #expect(try file.snapshot(of: "/a", through: .max) == snapshot)
        #expect(try file.records(of: "/b").count == 20)
        file.close()
        await replica.bench.close()
    }

    @Test func `what is deleted after it was copied can still be restored`() async throws {
        let replica = try await ReplicaBench()
        try await replica.bench.append(JournalSample.notes(20), to: "/a")
        try replica.copy()
        try await replica.bench.save(
            JournalSnapshot(offset: 20, version: 20, content: [1]), of: "/a")
        try await replica.bench.truncate("/a", through: 20)
        try replica.copy()
        #expect(replica.generations.count == 1)
        try await replica.bench.append(JournalSample.notes(1, from: 21), to: "/a")
        try replica.copy()
        let (file, _) = try replica.restore()
        #expect(try file.records(of: "/a").count == 21)
        #expect(try file.snapshots(of: "/a").map(\.offset) == [20])
        file.close()
        let (then, _) = try replica.restore(.offset(10))
        #expect(try then.records(of: "/a").count == 10)
        #expect(try then.snapshots(of: "/a").isEmpty, "It is of later.")
        then.close()
        await replica.bench.close()
    }

    @Test func `a snapshot of later than the restore's end isn't there, wherever it was copied`()
        async throws
    {
        let replica = try await ReplicaBench()
        replica.options.segmentBytes = 100_000
        try await replica.bench.append(JournalSample.notes(20), to: "/a")
        let snapshots = [5, 20].map {
            JournalSnapshot(offset: $0, version: $0, content: [UInt8($0)])
        }
        for snapshot in snapshots { try await replica.bench.save(snapshot, of: "/a") }
        // One segment has all of it.
        try replica.copy()
        #expect(replica.generations.last?.files.count == 1)
        for (offset, kept) in [(4, 0), (5, 1), (19, 1), (20, 2)] as [(UInt64, Int)] {
            let (file, _) = try replica.restore(.offset(offset))
            #expect(try file.records(of: "/a").count == Int(offset))
            let offsets = try file.snapshots(of: "/a").map(\.offset)
            #expect(offsets == snapshots.prefix(kept).map(\.offset), "\(offset)")
            file.close()
        }
        await replica.bench.close()
    }

    @Test func `an entry that is skipped stays skipped`() async throws {
        let replica = try await ReplicaBench()
        try await replica.bench.append(JournalSample.notes(3), to: "/a")
        try replica.copy()
        try await replica.stopped {
            _ = try JournalSkip.run(on: replica.path, room: "/a", offset: 2)
        }
        try replica.copy()
        #expect(replica.generations.count == 1)
        let (file, _) = try replica.restore()
        #expect(try file.entries(of: "/a", after: 0).map(\.isSkipped) == [false, true, false])
        file.close()
        await replica.bench.close()
    }

    @Test func `another file, or an older copy of it, begins a generation`() async throws {
        let replica = try await ReplicaBench()
        try await replica.bench.append(JournalSample.notes(3), to: "/a")
        let old = try replica.bench.copyFiles(of: replica.path, to: replica.directory.file("old"))
        try await replica.bench.append(JournalSample.notes(3, from: 4), to: "/a")
        try replica.copy()
        try await replica.stopped {
            for suffix in ["", "-wal", "-shm"] {
                try? FileManager.default.removeItem(atPath: replica.path + suffix)
                try? FileManager.default.moveItem(
                    atPath: old + suffix, toPath: replica.path + suffix)
            }
        }
        try await replica.bench.append(JournalSample.notes(1, from: 9), to: "/b")
        try replica.copy()
        #expect(replica.generations.count == 2)
        #expect(replica.said.count == 1 && replica.said[0].contains("older copy"))
        let (file, _) = try replica.restore()
        #expect(try file.records(of: "/a").count == 3)
        file.close()
        let first = replica.generations[0].name
        let (before, _) = try replica.restore(generation: first)
        #expect(try before.records(of: "/a").count == 6)
        before.close()
        await replica.bench.close()
    }

    @Test func `while a generation is begun the one before it goes on, until nobody needs it`()
        async throws
    {
        let replica = try await ReplicaBench()
        replica.options.generation = .seconds(100)
        replica.options.keep = .seconds(150)
        try await replica.bench.append(JournalSample.notes(60), to: "/a")
        try replica.copy()
        replica.now += 100
        _ = try replica.step()
        try await replica.bench.append(JournalSample.notes(1, from: 61), to: "/a")
        _ = try replica.step()
        replica.kill()
        #expect(replica.generations.count == 2)
        let (file, report) = try replica.restore()
        #expect(report.generation == replica.generations[0].name, "The other isn't complete.")
        #expect(try file.records(of: "/a").count == 61)
        file.close()
        try replica.copy()
        #expect(replica.generations.count == 2)
        let (later, newest) = try replica.restore()
        #expect(newest.generation == replica.generations[1].name)
        #expect(try later.records(of: "/a").count == 61)
        later.close()
        let names = replica.generations.map(\.name)
        replica.now += 140
        try replica.copy()
        #expect(replica.generations.map(\.name).dropFirst(1).first == names[1])
        replica.now += 50
        try replica.copy()
        #expect(!replica.generations.map(\.name).contains(names[0]))
        await replica.bench.close()
    }

    @Test func `any time within what is kept can be restored, and no more is kept than that takes`()
        async throws
    {
        let replica = try await ReplicaBench()
        replica.options.generation = .seconds(90)
        replica.options.keep = .seconds(150)
        for second in stride(from: 100, through: 800, by: 100) {
            replica.now = 1_000_000 + Double(second)
            let offset = try await replica.bench.append(
                JournalSample.notes(1, from: UInt64(second)), to: "/a")
            try replica.copy()
            #expect(replica.generations.count == min(second / 100, 3))
            let time = max(replica.now - 150, 1_000_100)
            let (file, _) = try replica.restore(.time(Timestamp(secondsSince1970: time)))
            let newest = try file.records(of: "/a").last?.offset
            #expect(newest == UInt64(max(second / 100 - 2, 1)), "\(second)")
            file.close()
            // Later generations don't have what the server deletes now.
            try await replica.bench.save(
                JournalSnapshot(offset: offset, version: offset, content: [1]), of: "/a")
            try await replica.bench.truncate("/a", through: offset)
        }
        await replica.bench.close()
    }

    @Test
    func `a damaged, missing or exchanged segment is noticed, and what is before it restored`()
        async throws
    {
        let replica = try await ReplicaBench()
        for seq in 1...6 as ClosedRange<UInt64> {
            try await replica.bench.append(JournalSample.notes(1, from: seq), to: "/a")
            try replica.copy()
        }
        replica.kill()
        let (third, fourth) = (replica.segment(3), replica.segment(4))
        let (good, other) = (
            try Data(contentsOf: URL(filePath: third)), try Data(contentsOf: URL(filePath: fourth))
        )
        var damages: [Data?] = [nil, other, Data(), good.dropLast(1)]
        for byte in good.indices { damages.append(good.flipped(at: byte)) }
        for damage in damages {
            try? FileManager.default.removeItem(atPath: third)
            try damage?.write(to: URL(filePath: third))
            #expect {
                try replica.restore().file.close()
            } throws: { "\($0)".contains("--offset 2") }
        }
        let (file, _) = try replica.restore(.offset(2))
        #expect(try file.records(of: "/a").count == 2)
        file.close()
        // The copier can't go on behind a gap.
        try FileManager.default.removeItem(atPath: third)
        try replica.copy()
        #expect(replica.generations.count == 2)
        let (whole, _) = try replica.restore()
        #expect(try whole.records(of: "/a").count == 6)
        whole.close()
        await replica.bench.close()
    }

    @Test func `a command that fails gets the same segment again, and nothing gathers`()
        async throws
    {
        let replica = try await ReplicaBench()
        let store = replica.directory.file("store")
        let isAway = Box(true)
        replica.options.handOver = { path, name in
            if isAway.value { throw JournalError.unavailable("away") }
            let target = "\(store)/\(name)"
            try FileManager.default.createDirectory(
                atPath: URL(filePath: target).deletingLastPathComponent().path,
                withIntermediateDirectories: true)
            try FileManager.default.copyItem(atPath: path, toPath: target)
        }
        for seq in 1...5 as ClosedRange<UInt64> {
            try await replica.bench.append(JournalSample.notes(10, from: seq * 10), to: "/a")
            #expect(throws: JournalError.self) { try replica.step() }
            if seq == 3 { replica.kill() }
        }
        #expect(replica.generations[0].files.count == 1)
        isAway.value = false
        try replica.copy()
        replica.kill()
        try await replica.bench.append(JournalSample.notes(1, from: 99), to: "/a")
        try replica.copy()
        #expect(replica.generations[0].files.count == 1, "It says how far it has come.")
        let path = replica.directory.file("restored.sqlite")
        _ = try JournalRestore.run(from: .replica(store), to: path, replaces: false)
        let file = try JournalFile(path)
        #expect(try file.records(of: "/a").count == 51)
        file.close()
        await replica.bench.close()
    }

    @Test func `a very large entry is a segment of its own`() async throws {
        let replica = try await ReplicaBench()
        let large = JournalSample.entry(
            1, [JournalSample.Note(text: String(repeating: "x", count: 1 << 20))])
        try await replica.bench.append([large], to: "/a")
        try await replica.bench.append(JournalSample.notes(1, from: 2), to: "/a")
        #expect(try replica.copy() == 2)
        let (file, _) = try replica.restore()
        #expect(
            try file.records(of: "/a").map(\.record)
                == [large, JournalSample.notes(1, from: 2)[0]].map(JournalRecord.init))
        file.close()
        await replica.bench.close()
    }
}

@MainActor private final class Box {
    nonisolated(unsafe) var value: Bool
    init(_ value: Bool) { self.value = value }
}

extension Data {
    fileprivate func flipped(at index: Int) -> Data {
        var data = self
        data[index] ^= 0x10
        return data
    }
}
