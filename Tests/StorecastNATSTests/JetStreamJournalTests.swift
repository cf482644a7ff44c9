import Foundation
import StorecastRoom
import StorecastSync
import StorecastTesting
import StorecastWire
import Synchronization
import TestSupport
import Testing

@testable import StorecastNATS

/// The journal at JetStream, with `nats-server` at the other end.
@Suite(
    .enabled(if: NATSProcess.isThere, "needs .build/python: see the README's test command"),
    .timeLimit(.minutes(30)), .fewAtATime)
struct JetStreamJournalTests {
    private static let layout = JetStreamLayout(name: "test", streams: 3, replicas: 1)

    private static func store(
        _ server: NATSProcess, _ layout: JetStreamLayout = layout,
        timeout: Duration = .seconds(20), patience: Duration = .seconds(60)
    ) async throws(JournalError) -> JetStreamStore {
        let configuration: NATSConfiguration
        do { configuration = try NATSConfiguration(server.address) } catch {
            throw .unavailable(error.description)
        }
        return try await JetStreamStore.open(
            configuration, layout, timeout: timeout, patience: patience)
    }

    @Test(arguments: JournalConformance.all)
    func `keeps what a journal promises`(check: JournalConformance) async throws {
        let server = try await NATSProcess()
        try await check.run { () throws(JournalError) in try await Self.store(server) }
    }

    /// With messages of a few kilobytes, so that batches and snapshots are kept in many.
    @Test(arguments: JournalConformance.all)
    func `keeps it in small messages as well`(check: JournalConformance) async throws {
        let server = try await NATSProcess()
        try await check.run { () throws(JournalError) in
            try await Self.store(server, Self.smallLayout)
        }
    }

    private static let smallLayout = JetStreamLayout(
        name: "small", streams: 2, replicas: 1, mostBytes: 4 << 10)

    @Test func `a batch in parts is read from any entry of it on, and forgotten up to any`()
        async throws
    {
        let server = try await NATSProcess()
        let bench = try await bench(server, Self.smallLayout)
        try await bench.append(JournalSample.notes(2), to: "/a")
        try await bench.append(JournalSample.notes(60, from: 3), to: "/a")
        try await bench.append(JournalSample.notes(2, from: 63), to: "/a")
        let all = try await bench.read("/a")
        #expect(all.map(\.record.seq) == Array(1...64))
        for (index, entry) in all.enumerated() {
            #expect(try await bench.read("/a", after: entry.offset) == Array(all[(index + 1)...]))
        }
        let head = try #require(all.last).offset
        try await bench.save(JournalSnapshot(offset: head, version: 64, content: [1]), of: "/a")
        for index in [1, 2, 30, 61, 62, 63] {
            try await bench.truncate("/a", through: all[index].offset)
            #expect(
                try await bench.read("/a", after: all[index].offset) == Array(all[(index + 1)...]))
            try await bench.reopen()
            #expect(
                try await bench.read("/a", after: all[index].offset) == Array(all[(index + 1)...]))
        }
        await bench.close()
    }

    @Test func `parts whose end never came are nothing`() async throws {
        let server = try await NATSProcess()
        let bench = try await bench(server, Self.smallLayout)
        try await bench.append(JournalSample.notes(1), to: "/a")
        // As a writer leaves them that is ended in the middle.
        let store = try #require(await bench.store as? JetStreamStore)
        let subject = Self.smallLayout.subject(of: "/a")
        let end = try #require(
            try await store.jetStream.last(of: subject, in: Self.smallLayout.stream(of: "/a")))
        let state = try LogMessage(end).state
        let part = LogMessage(
            kind: .part, state: state.adding(.part, count: 0, [123]), payload: [123])
        let written = await store.jetStream.write(
            part.payload, to: subject, headers: part.headers, behind: end.sequence)
        guard case .kept = written else { throw TooLate(description: "\(written)") }
        // It isn't the end that the writer knows.
        await expectReplaced { () throws(JournalError) in
            try await bench.append(JournalSample.notes(1, from: 2), to: "/a")
        }
        _ = try await bench.history(of: "/a")
        for first in [2, 62] as [UInt64] {
            try await bench.append(JournalSample.notes(60, from: first), to: "/a")
        }
        #expect(try await bench.read("/a").map(\.record.seq) == Array(1...121))
        await bench.close()
    }

    @Test func `a room in which nothing happens leaves no trace`() async throws {
        let server = try await NATSProcess()
        let bench = try await bench(server)
        let first = try await bench.history(of: "/a")
        #expect(try await bench.read("/a") == [])
        let store = try #require(await bench.store as? JetStreamStore)
        #expect(
            try await store.jetStream.subjects(">", of: Self.layout.stream(of: "/a")) == [])
        try await bench.reopen()
        let second = try await bench.history(of: "/a")
        #expect(second.epoch == first.epoch && second.head == 0 && !second.isTakenOver)
        await bench.close()
    }

    @Test func `nothing is left of a snapshot that isn't needed any more, or can't be kept`()
        async throws
    {
        let server = try await NATSProcess()
        let bench = try await bench(server, Self.smallLayout)
        let head = try await bench.append(JournalSample.notes(4), to: "/a")
        for offset in [head - 3, head - 2, head - 1, head - 1] {
            try await bench.save(Self.snapshot(at: offset), of: "/a")
        }
        #expect(try await snapshotSubjects(of: bench) == 2 * 3)
        try await bench.truncate("/a", through: head - 1)
        #expect(try await snapshotSubjects(of: bench) == 2)
        // The one that is there takes four messages; of the next only the first piece fits.
        try await limit(
            Self.smallLayout.snapshotStream, of: Self.smallLayout.snapshotSubjects,
            to: #""max_msgs":5"#, in: bench)
        await bench.expectError("it can't be kept") {
            if case .unavailable = $0 { true } else { false }
        } from: { () throws(JournalError) in
            try await bench.save(Self.snapshot(at: head), of: "/a")
        }
        #expect(try await snapshotSubjects(of: bench) == 2)
        await bench.close()
    }

    @Test func `what a process leaves that ends as it writes a snapshot goes with the next one`()
        async throws
    {
        let server = try await NATSProcess()
        let bench = try await bench(server, Self.smallLayout)
        let store = try #require(await bench.store as? JetStreamStore)
        let head = try await bench.append(JournalSample.notes(4), to: "/a")
        let before = Self.snapshot(at: head - 1)
        try await bench.save(before, of: "/a")
        for (room, id) in [("/a", "one"), ("/a", "two"), ("/b", "one")] {
            for _ in 0..<2 { try await writePiece([7], of: room, id, by: store) }
        }
        #expect(try await snapshotSubjects(of: bench) == 2 + 3)
        try await bench.save(Self.snapshot(at: head, of: 8), of: "/a")
        #expect(
            try await snapshotSubjects(of: bench) == 2 * 2 + 1, "What is another room's stays.")
        #expect(try await bench.snapshot(of: "/a", through: head - 1) == before)
        #expect(
            try await bench.snapshot(of: "/a", through: head) == Self.snapshot(at: head, of: 8))
        // It was made sure that nobody else writes the room, and that is no entry.
        try await bench.append(JournalSample.notes(1, from: 5), to: "/a")
        #expect(try await bench.read("/a").map(\.record.seq) == [1, 2, 3, 4, 5])
        await bench.close()
    }

    @Test
    func `a snapshot of which pieces were removed, as its writer was replaced, is passed over`()
        async throws
    {
        let server = try await NATSProcess()
        let bench = try await bench(server, Self.smallLayout)
        let store = try #require(await bench.store as? JetStreamStore)
        let head = try await bench.append(JournalSample.notes(4), to: "/a")
        let first = Self.snapshot(at: head - 2)
        try await bench.save(first, of: "/a")
        // Somebody stands still between two pieces, and goes on when another has replaced him.
        try await writePiece([1], of: "/a", "late", by: store)
        let last = Self.snapshot(at: head)
        try await bench.save(last, of: "/a")
        try await writePiece([2], of: "/a", "late", by: store)
        let digest = Base64.text(of: SHA256.digest(of: [1, 2] as [UInt8]))
        let manifest =
            #"{"pieces":"late","count":2,"offset":\#(head - 1),"version":3,"size":2,"#
            + #""sha256":"\#(digest)"}"#
        let written = await store.jetStream.write(
            Array(manifest.utf8), to: Self.smallLayout.manifests(of: "/a") + "\(head - 1)",
            headers: NATSHeaders(), behind: 0)
        guard case .kept = written else { throw TooLate(description: "\(written)") }
        #expect(try await bench.snapshot(of: "/a", through: head - 1) == first)
        #expect(try await bench.snapshot(of: "/a", through: head) == last)
        await bench.close()
    }

    @Test func `who was replaced removes nothing of what his successor writes`() async throws {
        let server = try await NATSProcess()
        let (old, new) = (
            try await bench(server, Self.smallLayout), try await bench(server, Self.smallLayout)
        )
        let store = try #require(await old.store as? JetStreamStore)
        try await old.append(JournalSample.notes(1), to: "/a")
        _ = try await new.history(of: "/a")
        try await writePiece([7], of: "/a", "new", by: store)
        await old.expectError("it isn't the writer") {
            if case .unavailable = $0 { true } else { false }
        } from: { () throws(JournalError) in
            try await store.snapshots.removeUnfinished(of: "/a", below: .max) {
                () throws(JournalError) in
                try await store.logs.fence("/a", since: nil)
            }
        }
        #expect(try await snapshotSubjects(of: new) == 1)
        await old.close()
        await new.close()
    }

    /// Writes a piece of a snapshot, as a process does that doesn't come to its manifest.
    private func writePiece(
        _ content: [UInt8], of room: String, _ id: String, by store: JetStreamStore
    ) async throws {
        let written = await store.jetStream.write(
            content, to: Self.smallLayout.pieces(of: room, id), headers: NATSHeaders(), behind: nil)
        guard case .kept = written else { throw TooLate(description: "\(written)") }
    }

    @Test func `who was replaced doesn't replace the snapshot of what the room began with`()
        async throws
    {
        let server = try await NATSProcess()
        let (first, second) = (try await bench(server), try await bench(server))
        let (old, new) = (Self.snapshot(at: 0, of: 1), Self.snapshot(at: 0, of: 2))
        // The room is empty, and both have it open.
        _ = try await first.history(of: "/a")
        _ = try await second.history(of: "/a")
        try await second.save(new, of: "/a")
        try await second.append(JournalSample.notes(1), to: "/a")
        await expectReplaced { () throws(JournalError) in try await first.save(old, of: "/a") }
        #expect(try await second.snapshot(of: "/a", through: 0) == new)
        await first.close()
        await second.close()
    }

    @Test func `a snapshot of a room that was opened anew meanwhile isn't kept`() async throws {
        let server = try await NATSProcess()
        let bench = try await bench(server)
        let head = try await bench.append(JournalSample.notes(1), to: "/a")
        let store = try #require(await bench.store as? JetStreamStore)
        let opening = try await store.logs.open("/a").opening
        _ = try await store.logs.open("/a")
        await bench.expectError("it was opened anew") {
            if case .unavailable = $0 { true } else { false }
        } from: { () throws(JournalError) in
            try await store.snapshots.save(
                of: "/a", offset: head, version: 1, content: { [7] }
            ) { body throws(JournalError) in
                try await store.logs.whileWriting("/a", since: opening, body)
            }
        }
        #expect(try await bench.snapshot(of: "/a", through: head) == nil)
        await bench.close()
    }

    @Test func `what a room asks for that was opened anew meanwhile comes too late`() async throws {
        let server = try await NATSProcess()
        let bench = try await bench(server)
        let store = try #require(await bench.store as? JetStreamStore)
        let opening = try await store.logs.open("/a").opening
        let head = try await store.logs.append(JournalSample.notes(3), to: "/a", since: opening)
        _ = try await store.logs.open("/a")
        let late = JournalSample.notes(1, from: 4)
        await expectReplaced { () throws(JournalError) in
            _ = try await store.logs.append(late, to: "/a", since: opening)
        }
        await expectReplaced { () throws(JournalError) in
            try await store.logs.forget("/a", through: head, since: opening)
        }
        #expect(try await bench.read("/a", after: 0).map(\.record.seq) == [1, 2, 3])
        await bench.close()
    }

    @Test func `a snapshot of an end that the log has lost isn't one of what was written since`()
        async throws
    {
        let server = try await NATSProcess()
        let bench = try await bench(server)
        let kept = try await bench.append(JournalSample.notes(1), to: "/a")
        try await bench.save(Self.snapshot(at: kept), of: "/a")
        let lost = try await bench.append(JournalSample.notes(1, from: 2), to: "/a")
        try await bench.save(Self.snapshot(at: lost), of: "/a")
        #expect(try await bench.snapshot(of: "/a", through: lost) == Self.snapshot(at: lost))
        // The log loses its end, and something else is written under the same number.
        let store = try #require(await bench.store as? JetStreamStore)
        let (stream, subject) = (Self.layout.stream(of: "/a"), Self.layout.subject(of: "/a"))
        let first = try #require(
            try await store.jetStream.page(of: subject, in: stream, from: 1).messages.first)
        var headers = NATSHeaders()
        for name in ["Kind", "Epoch", "Term", "Head", "Floor", "Count", "Checksum"] {
            let name = "Storecast-\(name)"
            headers.add(name, try #require(first.headers[name]))
        }
        _ = try await store.jetStream.ask(
            "$JS.API.STREAM.DELETE.\(stream)", [], timeout: .seconds(20))
        try await bench.reopen()
        let other = try #require(await bench.store as? JetStreamStore)
        let written = await other.jetStream.write(
            first.payload, to: subject, headers: headers, behind: 0)
        #expect(written == .kept(LogOffset(kept).sequence))
        _ = try await bench.history(of: "/a")
        let head = try await bench.append(JournalSample.notes(1, from: 9), to: "/a")
        #expect(head >= lost)
        #expect(try await bench.snapshot(of: "/a", through: head) == Self.snapshot(at: kept))
        await bench.close()
    }

    /// One in three pieces, if messages are small.
    private static func snapshot(at offset: UInt64, of byte: UInt8 = 7) -> JournalSnapshot {
        JournalSnapshot(
            offset: offset, version: 1, content: [UInt8](repeating: byte, count: 10_000))
    }

    /// How many subjects have messages of snapshots: two for each.
    private func snapshotSubjects(of bench: JournalBench) async throws -> Int {
        let store = try #require(await bench.store as? JetStreamStore)
        return try await store.jetStream.subjects(">", of: store.logs.layout.snapshotStream).count
    }

    // MARK: Several writers

    @Test func `of two writers of a room the log takes one, and the other hears of it`()
        async throws
    {
        let server = try await NATSProcess()
        let (first, second) = (try await bench(server), try await bench(server))
        let epoch = try await first.history(of: "/a").epoch
        let one = try await first.append(JournalSample.notes(2), to: "/a")
        // It reads where the log ends, and marks that it writes it now.
        let taken = try await second.history(of: "/a")
        #expect(taken.epoch == epoch && taken.head == one && taken.isTakenOver)
        // It isn't any more what it has just taken.
        let known = try await second.history(of: "/a")
        #expect(known.epoch == epoch && known.head == one && !known.isTakenOver)
        #expect(known.term == taken.term)
        await expectReplaced { () throws(JournalError) in
            try await first.append(JournalSample.notes(1, from: 3), to: "/a")
        }
        await expectReplaced { () throws(JournalError) in
            try await first.append(JournalSample.notes(1, from: 3), to: "/a")
        }
        let two = try await second.append(JournalSample.notes(1, from: 3), to: "/a")
        // Whoever was replaced may come back.
        #expect(try await first.history(of: "/a").head == two)
        let three = try await first.append(JournalSample.notes(1, from: 4), to: "/a")
        await expectReplaced { () throws(JournalError) in
            try await second.append(JournalSample.notes(1, from: 4), to: "/a")
        }
        for bench in [first, second] {
            let entries = try await bench.read("/a")
            #expect(entries.map(\.record.seq) == [1, 2, 3, 4])
            #expect(entries.map(\.offset) == [one - 1, one, two, three])
        }
        await first.close()
        await second.close()
    }

    @Test func `racing writers keep one order, and what was acked is in it once`() async throws {
        let server = try await NATSProcess()
        let benches = [try await bench(server), try await bench(server), try await bench(server)]
        let acked = try await withThrowingTaskGroup(of: [UInt64].self) { group in
            for (number, bench) in benches.enumerated() {
                group.addTask { try await Self.write(200, as: number, to: "/a", in: bench) }
            }
            var all: [UInt64] = []
            for try await acked in group { all += acked }
            return all
        }
        #expect(acked.count >= 200)
        let orders = try await [
            benches[0].read("/a"), benches[1].read("/a"), benches[2].read("/a"),
        ]
        #expect(orders[0] == orders[1] && orders[1] == orders[2])
        let kept = orders[0].map(\.record.seq)
        #expect(Set(kept).count == kept.count)
        // Nothing that was refused is there either.
        #expect(Set(kept) == Set(acked))
        for bench in benches { await bench.close() }
    }

    /// Appends so many entries, taking the room back whenever it was lost; the numbers of those
    /// that were acked.
    @MainActor private static func write(
        _ count: Int, as writer: Int, to room: String, in bench: JournalBench
    ) async throws -> [UInt64] {
        var acked: [UInt64] = []
        for number in 0..<count {
            let seq = UInt64(writer * 1000 + number + 1)
            do throws(JournalError) {
                try await bench.append(JournalSample.notes(1, from: seq), to: room)
                acked.append(seq)
            } catch {
                guard case .replaced = error else { throw error }
                do throws(JournalError) { _ = try await bench.history(of: room) } catch {
                    // Others were quicker, again and again.
                    guard case .unavailable = error else { throw error }
                }
            }
        }
        return acked
    }

    @Test func `a reader of another server hears what is appended`() async throws {
        let server = try await NATSProcess()
        let (writer, other) = (try await bench(server), try await bench(server))
        try await writer.append(JournalSample.notes(2), to: "/a")
        #expect(try await other.read("/a").count == 2)
        try await writer.append(JournalSample.notes(2, from: 3), to: "/a")
        #expect(try await other.read("/a").map(\.record.seq) == [1, 2, 3, 4])
        await writer.close()
        await other.close()
    }

    @Test func `a journal knows whether NATS is there, and how often it came back`() async throws {
        let port = try HeldPort(isShared: true)
        let server = try await NATSProcess(port: port.number)
        let store = try await Self.store(server)
        #expect(store.rooms.link == JournalLink(isConnected: true, reconnects: 0, cluster: nil))
        server.kill()
        #expect(await eventually { !store.rooms.link.isConnected })
        try await server.start()
        #expect(await eventually { store.rooms.link.isConnected })
        #expect(store.rooms.link.reconnects == 1)
        withExtendedLifetime(port) {}
        await store.close()
    }

    @Test func `a room is left whose log has lost its end, as soon as NATS is back`() async throws {
        let port = try HeldPort(isShared: true)
        let server = try await NATSProcess(port: port.number)
        let store = try await Self.store(server)
        for room in ["/kept", "/lost"] {
            _ = try await store.logs.open(room)
            _ = try await store.logs.append(JournalSample.notes(1), to: room)
            _ = try await store.logs.append(JournalSample.notes(1, from: 2), to: room)
            #expect(try await store.rooms.reasonToLeave(room) == nil)
        }
        // As it is when all servers of a stream lose their power.
        try await store.jetStream.purge(
            Self.layout.subject(of: "/lost"), of: Self.layout.stream(of: "/lost"))
        server.kill()
        #expect(await eventually { !store.rooms.link.isConnected })
        try await server.start()
        #expect(await eventually { store.rooms.link.isConnected })
        #expect(try await store.rooms.reasonToLeave("/lost") == .lostEnd)
        #expect(try await store.rooms.reasonToLeave("/kept") == nil)
        withExtendedLifetime(port) {}
        await store.close()
    }

    @Test func `who is beaten to a room looks again whose it is`() async throws {
        let server = try await NATSProcess()
        let stores = [try await Self.store(server), try await Self.store(server)]
        let bench = try await bench(server)
        var beaten = 0
        for round in 0..<500 where beaten == 0 {
            let room = "/\(round)"
            try await bench.append(JournalSample.notes(1), to: room)
            beaten = try await withThrowingTaskGroup(of: Bool.self) { group in
                for store in stores {
                    group.addTask { try await Self.isBeaten(to: room, in: store) }
                }
                return try await group.reduce(0) { $0 + ($1 ? 1 : 0) }
            }
        }
        #expect(beaten == 1, "It isn't both, nor nobody for hundreds of times.")
        for store in stores { await store.close() }
        await bench.close()
    }

    /// Opens a room, if no other does at the same moment; whether one did.
    private static func isBeaten(to room: String, in store: JetStreamStore) async throws -> Bool {
        let place = JournalError.replaced("Another has it.")
        let looks = Atomic(0)
        do throws(JournalError) {
            _ = try await store.logs.open(room) { () throws(JournalError) in
                if looks.add(1, ordering: .relaxed).oldValue > 0 { throw place }
            }
            return false
        } catch {
            guard error == place else { throw error }
            return true
        }
    }

    // MARK: What nobody can tell

    @Test func `a batch whose outcome was unknown is kept once when it is appended again`()
        async throws
    {
        let server = try await NATSProcess()
        let bench = try await bench(server, timeout: .milliseconds(200))
        let one = try await bench.append(JournalSample.notes(1), to: "/a")
        for seq in 2...4 as ClosedRange<UInt64> {
            server.send(SIGSTOP)
            await bench.expectError("nobody can tell") {
                if case .unknownOutcome = $0 { true } else { false }
            } from: { () throws(JournalError) in
                try await bench.append(JournalSample.notes(1, from: seq), to: "/a")
            }
            server.send(SIGCONT)
            try await again { () throws(JournalError) in
                try await bench.append(JournalSample.notes(1, from: seq), to: "/a")
            }
        }
        let entries = try await bench.read("/a")
        #expect(entries.map(\.record.seq) == [1, 2, 3, 4])
        #expect(entries[0].offset == one)
        await bench.close()
    }

    @Test func `a batch whose outcome was unknown isn't taken for another like it`() async throws {
        let server = try await NATSProcess()
        let layout = JetStreamLayout(name: "one", streams: 1, replicas: 1)
        let bench = try await bench(server, layout)
        let unknown = JournalSample.notes(2)
        var others = unknown
        others[1].client = "another"
        let batches = [
            "/of-another-client": others, "/of-other-numbers": JournalSample.notes(2, from: 2),
            "/shorter": JournalSample.notes(1), "/longer": JournalSample.notes(3),
        ]
        // What the stream answers then doesn't say what became of a message.
        try await limit(
            layout.stream(0), of: layout.subjects(0), to: #""max_msg_size":1"#, in: bench)
        await withTaskGroup(of: Void.self) { group in
            for room in batches.keys {
                group.addTask {
                    await bench.expectError("nobody can tell") {
                        if case .unknownOutcome = $0 { true } else { false }
                    } from: { () throws(JournalError) in
                        try await bench.append(unknown, to: room)
                    }
                }
            }
        }
        try await limit(
            layout.stream(0), of: layout.subjects(0), to: #""max_msg_size":-1"#, in: bench)
        for (room, batch) in batches {
            try await bench.append(batch, to: room)
            let expected = try batch.map { try JournalRecord($0) }
            #expect(try await bench.read(room).map(\.record) == expected, "\(room)")
        }
        await bench.close()
    }

    @Test func `a server that was killed has all that was acked, and its writers go on`()
        async throws
    {
        let port = try HeldPort(isShared: true)
        let server = try await NATSProcess(port: port.number)
        let bench = try await bench(server, timeout: .milliseconds(300))
        for seq in 1...20 as ClosedRange<UInt64> {
            if seq % 5 == 0 {
                server.kill()
                try await server.start()
            }
            try await again { () throws(JournalError) in
                try await bench.append(JournalSample.notes(1, from: seq), to: "/a")
            }
        }
        let seqs = try await bench.read("/a").map(\.record.seq)
        #expect(seqs == Array(1...20))
        await bench.close()
    }

    @MainActor @Test func `each term of a log is told before its entries, also one without any`()
        async throws
    {
        let server = try await NATSProcess()
        let (first, second) = (try await bench(server), try await bench(server))
        var terms: [String?] = [try await first.history(of: "/a").term]
        let head = try await first.append(JournalSample.notes(2), to: "/a")
        for bench in [second, first] { terms.append(try await bench.history(of: "/a").term) }
        try await first.append(JournalSample.notes(1, from: 3), to: "/a")
        #expect(Set(terms).count == 3)
        let reader = JournalReader(first.journal, "/a", after: 0)
        await reader.caughtUp()
        #expect(reader.terms.map(\.id) == terms && reader.terms.map(\.place) == [0, 2, 2])
        let later = JournalReader(first.journal, "/a", after: head)
        await later.caughtUp()
        #expect(later.terms.map(\.id) == terms && later.terms.map(\.place) == [0, 0, 0])
        for bench in [first, second] { await bench.close() }
    }

    @Test func `of a log that lost its end, whoever knew that writes nothing behind another's`()
        async throws
    {
        let port = try HeldPort(isShared: true)
        let server = try await NATSProcess(port: port.number)
        let bench = try await bench(server)
        let before = try await bench.history(of: "/a")
        try await bench.append(JournalSample.notes(2), to: "/a")
        server.kill()
        let files = FileManager.default
        let (kept, copy) = (server.directory.file("jetstream"), server.directory.file("copy"))
        try files.copyItem(atPath: kept, toPath: copy)
        try await server.start()
        try await again { () throws(JournalError) in
            try await bench.append(JournalSample.notes(2, from: 3), to: "/a")
        }
        server.kill()
        try files.removeItem(atPath: kept)
        try files.moveItem(atPath: copy, toPath: kept)
        try await server.start()
        // Its mark has the number of what was lost.
        let other = try await self.bench(server)
        let after = try await other.history(of: "/a")
        #expect(after.epoch == before.epoch && after.term != before.term)
        try await again { () throws(JournalError) in
            do throws(JournalError) {
                try await bench.append(JournalSample.notes(1, from: 5), to: "/a")
                Issue.record("What nobody has was appended to.")
            } catch {
                guard case .replaced = error else { throw error }
            }
        }
        #expect(try await bench.history(of: "/a").epoch == before.epoch)
        try await bench.append(JournalSample.notes(1, from: 6), to: "/a")
        #expect(try await bench.read("/a").map(\.record.seq) == [1, 2, 6])
        for bench in [bench, other] { await bench.close() }
    }

    // MARK: What is refused

    @Test func `a stream that keeps less than is asked for isn't used`() async throws {
        let server = try await NATSProcess()
        let client = try await NATSClient(server.address)
        _ = try await client.connected()
        for (place, (settings, problem)) in [
            (#""storage":"memory""#, "is in memory, not in files"),
            (#""storage":"file","max_age":1000000000"#, "forgets messages by itself"),
            (#""storage":"file","max_msgs":7"#, "forgets messages by itself"),
            (#""storage":"file","retention":"workqueue""#, "forgets messages by itself"),
            (#""storage":"file""#, "doesn't let them be read directly"),
        ].enumerated() {
            let layout = JetStreamLayout(name: "s\(place)", streams: 1, replicas: 1)
            let made = try await client.request(
                "$JS.API.STREAM.CREATE.\(layout.stream(0))",
                #"{"name":"\#(layout.stream(0))","subjects":["\#(layout.subjects(0))"],\#(settings)}"#
            )
            #expect(String(decoding: made.payload, as: UTF8.self).contains("created"))
            await expectUnavailable(saying: problem) { () throws(JournalError) in
                try await Self.store(server, layout)
            }
        }
        var layout = Self.layout
        layout.replicas = 3
        await expectUnavailable(
            saying: "replicas > 1 not supported in non-clustered mode. With one NATS server: "
                + "--nats-replicas 1, NATSServers(replicas: 1)."
        ) { () throws(JournalError) in
            try await Self.store(server, layout)
        }
        await client.end()
    }

    @Test func `that NATS isn't there is told at once, and once, not only when it is given up`()
        async throws
    {
        let port = try HeldPort()
        let configuration = try NATSConfiguration("nats://127.0.0.1:\(port.number)")
        let told = Mutex<[String]>([])
        await expectUnavailable(saying: "NATS can't be reached: Connection refused by") {
            () throws(JournalError) in
            try await JetStreamStore.open(
                configuration, Self.layout, patience: .milliseconds(300)
            ) { problem in told.withLock { $0.append(problem) } }
        }
        #expect(
            told.withLock(\.self)
                == ["NATS can't be reached: Connection refused by 127.0.0.1:\(port.number)."])
    }

    /// In a process where nobody else starts threads: those that are named as the loop is are its
    /// own, and some of libuv that stay.
    @Test func `a start that fails leaves no thread`() async {
        await #expect(processExitsWith: .success) {
            @Sendable func threads() throws -> Int {
                let tasks = "/proc/self/task"
                return try FileManager.default.contentsOfDirectory(atPath: tasks).count { task in
                    let name = try? String(contentsOfFile: "\(tasks)/\(task)/comm", encoding: .utf8)
                    return name?.hasPrefix("storecast-nats") == true
                }
            }
            let port = try HeldPort()
            let configuration = try NATSConfiguration("nats://127.0.0.1:\(port.number)")
            let most = Mutex(0)
            func fail() async {
                await #expect(throws: JournalError.self) {
                    try await JetStreamStore.open(
                        configuration, JetStreamLayout(), patience: .milliseconds(500)
                    ) { _ in most.withLock { $0 = max($0, (try? threads()) ?? 0) } }
                }
            }
            await fail()
            let left = try threads()
            for _ in 0..<2 { await fail() }
            #expect(most.withLock(\.self) > 0)
            #expect(try await eventually { try threads() <= left })
        }
    }

    @Test func `NATS without JetStream, and none, are said`() async throws {
        let server = try await NATSProcess(jetStream: false)
        await expectUnavailable(saying: "is it enabled on the NATS servers?") {
            () throws(JournalError) in
            try await Self.store(server, patience: .milliseconds(1500))
        }
        server.kill()
        await expectUnavailable(saying: "NATS can't be reached: Connection refused by") {
            () throws(JournalError) in
            try await Self.store(server, patience: .milliseconds(1500))
        }
    }

    // MARK: Help

    private func bench(
        _ server: NATSProcess, _ layout: JetStreamLayout = layout,
        timeout: Duration = .seconds(20)
    ) async throws -> JournalBench {
        try await JournalBench { () throws(JournalError) in
            try await Self.store(server, layout, timeout: timeout)
        }
    }

    /// Limits what a stream takes, as an administrator may.
    private func limit(
        _ stream: String, of subjects: String, to limit: String, in bench: JournalBench
    ) async throws {
        let store = try #require(await bench.store as? JetStreamStore)
        let members = [
            #""name":"\#(stream)","subjects":["\#(subjects)"],"storage":"file""#,
            #""discard":"new","num_replicas":1,"allow_direct":true"#, limit,
        ]
        let answer = try await store.jetStream.ask(
            "$JS.API.STREAM.UPDATE.\(stream)", Array("{\(members.joined(separator: ","))}".utf8),
            timeout: .seconds(20))
        let text = String(decoding: answer.payload, as: UTF8.self)
        try #require(!text.contains(#""error""#), "\(text)")
    }

    /// Does it until it isn't refused, or unknown.
    private func again(_ body: () async throws(JournalError) -> some Any) async throws {
        var last: JournalError?
        let isDone = await eventually {
            do throws(JournalError) {
                _ = try await body()
                return true
            } catch {
                last = error
                return false
            }
        }
        if !isDone, let last { throw last }
    }

    private func expectReplaced(_ body: () async throws(JournalError) -> some Any) async {
        do throws(JournalError) {
            _ = try await body()
            Issue.record("It was done.")
        } catch {
            guard case .replaced = error else {
                Issue.record("It says \(error).")
                return
            }
        }
    }

    private func expectUnavailable(
        saying text: String, _ body: () async throws(JournalError) -> JetStreamStore
    ) async {
        do throws(JournalError) {
            let store = try await body()
            Issue.record("It was opened.")
            await store.close()
        } catch {
            guard case .unavailable(let problem) = error, problem.contains(text) else {
                Issue.record("It says \(error).")
                return
            }
        }
    }
}
