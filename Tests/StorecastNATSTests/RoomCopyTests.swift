import StorecastRoom
import StorecastTesting
import TestSupport
import Testing

@testable import StorecastNATS

/// Rooms that are brought to JetStream, and copied from there, with `nats-server` at the other end.
@Suite(
    .enabled(if: NATSProcess.isThere, "needs .build/python: see the README's test command"),
    .timeLimit(.minutes(30)), .fewAtATime)
struct RoomCopyTests {
    private static let layout = JetStreamLayout(name: "copy", streams: 3, replicas: 1)
    /// With messages of a few kilobytes, so that batches and snapshots are kept in many.
    private static let smallLayout = JetStreamLayout(
        name: "small", streams: 2, replicas: 1, mostBytes: 4 << 10)

    @Test(arguments: [layout, smallLayout])
    func `a server goes on with a room that is imported, and it is exported as it was`(
        layout: JetStreamLayout
    ) async throws {
        let server = try await NATSProcess()
        let records = try (JournalSample.strangeOnes + JournalSample.notes(2_000)).map {
            try JournalRecord($0)
        }
        let text = Self.text(of: "/a", records, snapshotsAt: [0, 3, 1_500, 2_006])
        try await bring(text, to: server, layout)
        #expect(try await lines(of: "/a", at: server, layout) == text)

        let bench = try await bench(server, layout)
        let history = try await bench.history(of: "/a")
        #expect(history.epoch == "e")
        let first = try #require(try await bench.snapshot(of: "/a", through: 1))
        #expect(first.version == 0 && first.content == Self.content(0))
        let all = try await bench.read("/a", after: first.offset)
        #expect(all.map(\.record) == records)
        #expect(all.last?.offset == history.head)
        for (place, version) in [(1, 0), (2, 3), (1_498, 3), (1_499, 1_500), (2_005, 2_006)] {
            let kept = try await bench.snapshot(of: "/a", through: all[place].offset)
            let offset = version == 0 ? first.offset : all[version - 1].offset
            let expected = JournalSnapshot(
                offset: offset, version: UInt64(version), content: Self.content(UInt64(version)))
            #expect(kept == expected)
        }
        await bench.expectError("it is truncated") {
            if case .truncated = $0 { true } else { false }
        } from: { () throws(JournalError) in
            try await bench.read("/a")
        }

        let next = try await bench.append(JournalSample.notes(1, from: 2_001), to: "/a")
        #expect(try await bench.read("/a", after: history.head).map(\.offset) == [next])
        try await bench.truncate("/a", through: all[1_499].offset)
        try await bench.reopen()
        let again = try await bench.history(of: "/a")
        #expect(again.epoch == "e" && again.head == next && again.isTakenOver)
        #expect(try await bench.read("/a", after: all[1_499].offset).count == 507)
        let rest = try await lines(of: "/a", at: server, layout)
        let beginning = JournalSnapshot(offset: 1, version: 1_500, content: Self.content(1_500))
        #expect(rest[1] == .snapshot(beginning) && rest.count == 2 + 506 + 1 + 1)
        await bench.close()
    }

    @Test func `a history may begin with a snapshot, and have nothing else, or nothing`()
        async throws
    {
        let server = try await NATSProcess()
        let records = try JournalSample.notes(2).map { try JournalRecord($0) }
        func snapshot(at offset: UInt64) -> JournalLine {
            .snapshot(JournalSnapshot(offset: offset, version: 7, content: [1]))
        }
        func header(_ room: String) -> JournalLine { .header(room: room, epoch: "e") }
        let cut = [header("/cut"), snapshot(at: 70)]
        let entries: [JournalLine] = [
            .entry(offset: 80, records[0]), .entry(offset: 90, records[1]),
        ]
        try await bring(
            cut + entries + [header("/bare"), snapshot(at: 70), header("/empty")], to: server)
        #expect(
            try await lines(of: "/cut", at: server) == [
                header("/cut"), snapshot(at: 1), .entry(offset: 2, records[0]),
                .entry(offset: 3, records[1]),
            ])
        #expect(try await lines(of: "/bare", at: server) == [header("/bare"), snapshot(at: 1)])
        #expect(try await lines(of: "/empty", at: server) == [])
        #expect(try await names(at: server) == ["/bare", "/cut", "/empty"])
        let bench = try await bench(server)
        for (room, count) in [("/cut", 2), ("/bare", 0)] {
            let head = try await bench.history(of: room).head
            let first = try #require(try await bench.snapshot(of: room, through: 1))
            #expect(first.version == 7 && first.offset <= head)
            #expect(try await bench.read(room, after: first.offset).count == count)
            try await bench.append(JournalSample.notes(1, from: 3), to: room)
            #expect(try await bench.read(room, after: first.offset).count == count + 1)
        }
        let empty = try await bench.history(of: "/empty")
        #expect(empty.epoch == "e" && empty.head == 0)
        await bench.close()
    }

    // MARK: What isn't finished

    @Test func `a room of which only a part is there isn't opened, and another import begins anew`()
        async throws
    {
        let server = try await NATSProcess()
        let records = try JournalSample.notes(30).map { try JournalRecord($0) }
        let text = Self.text(of: "/a", records, snapshotsAt: [0, 10, 30])
        let bench = try await bench(server, Self.smallLayout)
        let before = try await bench.history(of: "/a")
        #expect(before.head == 0)

        let store = try await store(server, Self.smallLayout)
        var first = RoomImport(to: store.rooms, keepsEpochs: false)
        for line in text.prefix(20) { try await first.take(line) }
        // A server that has the empty room open is refused, and can't open it again.
        await bench.expectError("it is replaced") {
            if case .replaced = $0 { true } else { false }
        } from: { () throws(JournalError) in
            try await bench.append(JournalSample.notes(1), to: "/a")
        }
        await bench.expectError("it isn't all there") {
            $0 == JetStreamLogs.unfinished("/a")
        } from: { () throws(JournalError) in
            try await bench.history(of: "/a")
        }
        await #expect(throws: JetStreamLogs.unfinished("/a")) {
            try await lines(of: "/a", at: server, Self.smallLayout)
        }

        try await bring(text, to: server, Self.smallLayout, keepsEpochs: false)
        // The first one may still be there.
        let late = await problem { () throws(JournalError) in try await first.finish() }
        guard case .replaced = late else { throw TooLate(description: "It says \(late as Any).") }
        #expect(await first.discard() == ["/a"])
        await store.close()
        let after = try await bench.history(of: "/a")
        #expect(after.epoch != before.epoch && after.epoch != "e")
        #expect(try await bench.read("/a", after: 1).map(\.record) == records)
        let all = try await lines(of: "/a", at: server, Self.smallLayout)
        #expect(all.dropFirst() == text.dropFirst())
        // Each is a manifest and its pieces: nothing is left of those of the first.
        #expect(try await snapshotSubjects(at: server, Self.smallLayout) == 2 * 3)
        await bench.close()
    }

    @Test func `an import that is given up leaves what another one has brought since`() async throws
    {
        let server = try await NATSProcess()
        let records = try JournalSample.notes(3).map { try JournalRecord($0) }
        let text = ["/a", "/b"].flatMap { Self.text(of: $0, records, snapshotsAt: [0, 3]) }
        let store = try await store(server, Self.smallLayout)
        var first = RoomImport(to: store.rooms, keepsEpochs: false)
        for line in text { try await first.take(line) }
        try await bring(text, to: server, Self.smallLayout, keepsEpochs: false)
        let late = await problem { () throws(JournalError) in try await first.finish() }
        guard case .replaced = late else { throw TooLate(description: "It says \(late as Any).") }
        // It doesn't know of the second room that it isn't its own any more.
        #expect(await first.discard() == ["/a", "/b"])
        await store.close()
        for room in ["/a", "/b"] {
            #expect(try await lines(of: room, at: server, Self.smallLayout).count == 1 + 3 + 2)
        }
    }

    @Test func `nothing is left of an import that is given up`() async throws {
        let server = try await NATSProcess()
        let records = try JournalSample.notes(30).map { try JournalRecord($0) }
        let store = try await store(server)
        var copy = RoomImport(to: store.rooms, keepsEpochs: false)
        for line in Self.text(of: "/a", records, snapshotsAt: [0, 10]) {
            try await copy.take(line)
        }
        #expect(try await snapshotSubjects(at: server) == 2 * 2)
        #expect(await copy.discard() == [])
        #expect(try await names(at: server) == [])
        #expect(try await snapshotSubjects(at: server) == 0)
        await store.close()
        let bench = try await bench(server)
        #expect(try await bench.history(of: "/a").head == 0)
        try await bench.append(JournalSample.notes(1), to: "/a")
        await bench.close()
    }

    // MARK: What is refused

    @Test func `a room that is there isn't imported, nor touched`() async throws {
        let server = try await NATSProcess()
        let bench = try await bench(server)
        try await bench.append(JournalSample.notes(2), to: "/a")
        let before = try await lines(of: "/a", at: server)
        let store = try await store(server)
        var copy = RoomImport(to: store.rooms, keepsEpochs: false)
        #expect(try await copy.isThere("/a"))
        #expect(try await !copy.isThere("/b"))
        let record = try JournalRecord(JournalSample.notes(1)[0])
        try await copy.take(.header(room: "/a", epoch: "e"))
        let refusal = await problem { () throws(JournalError) in
            try await copy.take(.entry(offset: 1, record))
        }
        #expect(refusal == .unavailable("The room '/a' is at NATS already."))
        #expect(await copy.discard() == [])
        await store.close()
        #expect(try await lines(of: "/a", at: server) == before)
        try await bench.append(JournalSample.notes(1, from: 3), to: "/a")
        await bench.close()
    }

    @Test(
        arguments: [
            ("/" + String(repeating: ".", count: 1_024), "e", 1), ("", "e", 1),
            ("/a", "e\r\nStorecast-Floor: 9", 1), ("/a", "", 1),
            ("/a", String(repeating: "e", count: 65), 1), ("/a", "e", 1 << 53),
        ] as [(String, String, UInt64)])
    func `what couldn't be kept, or read again, is refused before it is written`(
        room: String, epoch: String, base: UInt64
    ) async throws {
        let server = try await NATSProcess()
        let store = try await store(server)
        var copy = RoomImport(to: store.rooms, keepsEpochs: true)
        var entry = JournalSample.notes(1)[0]
        entry.base = base
        let record = try JournalRecord(entry)
        try await copy.take(.header(room: room, epoch: epoch))
        let refusal = await problem { () throws(JournalError) in
            try await copy.take(.entry(offset: 1, record))
        }
        guard case .unfit = refusal else { throw TooLate(description: "\(refusal as Any)") }
        #expect(await copy.discard() == [])
        await store.close()
        #expect(try await names(at: server) == [])
    }

    @Test func `rooms are found whatever their names are, and nothing else is`() async throws {
        let server = try await NATSProcess()
        let rooms = JournalSample.lookAlikes + ["/", "/a b.c*>=\u{1F980}\n", "/=2F", "/a=", "/%41"]
        let record = try JournalRecord(JournalSample.notes(1)[0])
        let texts = rooms.flatMap { room -> [JournalLine] in
            [.header(room: room, epoch: "e"), .entry(offset: 1, record)]
        }
        try await bring(texts, to: server)
        let store = try await store(server)
        // Another stream than that of the room 'b'.
        let other = Self.subject(0, "b") == Self.layout.subject(of: "b") ? 1 : 0
        let tokens = ["=", "=4", "=4=", "=zz", "=+F", "=2f", "=FF", "=41", "%"]
        for subject in tokens.map({ Self.subject(0, $0) }) + [Self.subject(other, "b")] {
            let written = await store.jetStream.write(
                [1], to: subject, headers: NATSHeaders(), behind: nil)
            guard case .kept = written else { throw TooLate(description: "\(written)") }
        }
        await store.close()
        let found = try await names(at: server)
        #expect(found.map { Array($0.utf8) } == rooms.sortedExactly().map { Array($0.utf8) })
        for room in rooms {
            #expect(
                try await lines(of: room, at: server) == [
                    .header(room: room, epoch: "e"), .entry(offset: 1, record),
                ])
        }
    }

    // MARK: Beside servers

    @Test func `an export has what was there when it began, or says that this is forgotten`()
        async throws
    {
        let server = try await NATSProcess()
        let bench = try await bench(server)
        let head = try await bench.append(JournalSample.notes(3), to: "/a")
        let reader = try await reader(server)
        let export = reader.export(of: "/a")
        let header = try await export.next()
        #expect(header.count == 1)
        try await bench.append(JournalSample.notes(2, from: 4), to: "/a")
        #expect(try await export.next().count == 3)
        #expect(try await export.next() == [])

        let late = reader.export(of: "/a")
        #expect(try await late.next() == header)
        try await bench.save(JournalSnapshot(offset: head, version: 3, content: [1]), of: "/a")
        try await bench.truncate("/a", through: head)
        let refusal = await problem { () throws(JournalError) in try await late.next() }
        #expect(refusal == .truncated(below: head + 1))
        await reader.close()
        #expect(try await lines(of: "/a", at: server).count == 1 + 1 + 2)
        // The server that writes hasn't noticed anything.
        try await bench.append(JournalSample.notes(1, from: 6), to: "/a")
        await bench.close()
    }

    @Test func `a log that isn't what was written isn't exported`() async throws {
        let server = try await NATSProcess()
        let bench = try await bench(server)
        try await bench.append(JournalSample.notes(2), to: "/a")
        let store = try await store(server)
        let end = try #require(try await store.logs.end(of: "/a"))
        let forged = LogMessage(kind: .entries, state: end, count: 1, payload: Array("{}\n".utf8))
        let written = await store.jetStream.write(
            forged.payload, to: Self.layout.subject(of: "/a"), headers: forged.headers,
            behind: end.sequence)
        guard case .kept = written else { throw TooLate(description: "\(written)") }
        await store.close()
        let refusal = await #expect(throws: JournalError.self) {
            try await lines(of: "/a", at: server)
        }
        guard case .damaged(let problem) = refusal else {
            throw TooLate(description: "It says \(refusal as Any).")
        }
        #expect(problem.hasPrefix("The log of room '/a' is damaged: The message "))
        await bench.close()
    }

    @Test func `where no server has ever been no room can be read, and no stream is made`()
        async throws
    {
        let server = try await NATSProcess()
        await #expect(throws: JournalError.self) { try await names(at: server) }
        let client = try await NATSClient(server.address)
        _ = try await client.connected()
        let answer = try await client.request("$JS.API.STREAM.NAMES", "")
        #expect(String(decoding: answer.payload, as: UTF8.self).contains(#""total":0"#))
        await client.end()
    }

    // MARK: Help

    /// A journal's text: what a room had become with each of `snapshots` stands behind the entry.
    private static func text(
        of room: String, _ records: [JournalRecord], snapshotsAt snapshots: Set<UInt64>
    ) -> [JournalLine] {
        func snapshot(at offset: UInt64) -> [JournalLine] {
            guard snapshots.contains(offset) else { return [] }
            return [
                .snapshot(
                    JournalSnapshot(offset: offset, version: offset, content: content(offset)))
            ]
        }
        let entries = zip(1..., records).flatMap { offset, record in
            [.entry(offset: offset, record)] + snapshot(at: offset)
        }
        return [.header(room: room, epoch: "e")] + snapshot(at: 0) + entries
    }

    /// In three pieces, if messages are small.
    private static func content(_ version: UInt64) -> [UInt8] {
        [UInt8](repeating: UInt8(truncatingIfNeeded: version), count: 10_000)
    }

    private static func subject(_ stream: Int, _ token: String) -> String {
        "copy.rooms.\(stream).\(token)"
    }

    private func configuration(
        _ server: NATSProcess
    ) throws(JournalError) -> NATSConfiguration {
        do { return try NATSConfiguration(server.address) } catch {
            throw .unavailable(error.description)
        }
    }

    private func store(
        _ server: NATSProcess, _ layout: JetStreamLayout = layout
    ) async throws(JournalError) -> JetStreamStore {
        try await JetStreamStore.open(
            try configuration(server), layout, timeout: .seconds(20), patience: .seconds(60))
    }

    private func bench(
        _ server: NATSProcess, _ layout: JetStreamLayout = layout
    ) async throws -> JournalBench {
        try await JournalBench { () throws(JournalError) in try await store(server, layout) }
    }

    private func reader(
        _ server: NATSProcess, _ layout: JetStreamLayout = layout
    ) async throws(JournalError) -> JetStreamReader {
        try await JetStreamReader.open(
            try configuration(server), layout, timeout: .seconds(20))
    }

    /// Imports all that these lines have.
    private func bring(
        _ lines: [JournalLine], to server: NATSProcess, _ layout: JetStreamLayout = layout,
        keepsEpochs: Bool = true
    ) async throws(JournalError) {
        let store = try await store(server, layout)
        var copy = RoomImport(to: store.rooms, keepsEpochs: keepsEpochs)
        for line in lines { try await copy.take(line) }
        try await copy.finish()
        await store.close()
    }

    /// All lines of a room, exported.
    private func lines(
        of room: String, at server: NATSProcess, _ layout: JetStreamLayout = layout
    ) async throws(JournalError) -> [JournalLine] {
        let reader = try await reader(server, layout)
        let export = reader.export(of: room)
        var lines: [JournalLine] = []
        do throws(JournalError) {
            while true {
                let next = try await export.next()
                if next.isEmpty { break }
                lines += next
            }
        } catch {
            await reader.close()
            throw error
        }
        await reader.close()
        return lines
    }

    private func names(
        at server: NATSProcess, _ layout: JetStreamLayout = layout
    ) async throws(JournalError) -> [String] {
        let reader = try await reader(server, layout)
        do throws(JournalError) {
            let names = try await reader.names()
            await reader.close()
            return names
        } catch {
            await reader.close()
            throw error
        }
    }

    /// How many subjects have messages of snapshots: two for each.
    private func snapshotSubjects(
        at server: NATSProcess, _ layout: JetStreamLayout = layout
    ) async throws -> Int {
        let store = try await store(server, layout)
        let count = try await store.jetStream.subjects(">", of: layout.snapshotStream).count
        await store.close()
        return count
    }

    /// What `body` throws.
    private func problem<Value>(
        of body: () async throws(JournalError) -> Value
    ) async -> JournalError? {
        do throws(JournalError) {
            _ = try await body()
            return nil
        } catch {
            return error
        }
    }
}
