@testable import StorecastRoom
import Testing

struct RoomReplayTests {
    private func text(_ records: [JournalRecord], snapshotAt places: [Int] = []) throws -> String {
        let replay = RoomReplay(RandomLog.room, limits: RandomLog.limits)
        var lines = [JournalLine.header(room: "/", epoch: "e")]
        for (index, record) in records.enumerated() {
            try replay.reduce(record, at: UInt64(index + 1))
            lines.append(.entry(offset: UInt64(index + 1), record))
            if places.contains(index + 1) { lines.append(.snapshot(try replay.keptSnapshot())) }
        }
        return try lines.map { String(decoding: try $0.bytes(), as: UTF8.self) }.joined()
    }

    private func replay() -> RoomReplay<Shop> {
        RoomReplay(RandomLog.room, limits: RandomLog.limits)
    }

    @Test func `a text that was written from a log gives the same room`() throws {
        let records = try RandomLog.records(100, seed: 5)
        let direct = replay()
        for (index, record) in records.enumerated() {
            try direct.reduce(record, at: UInt64(index + 1))
        }
        let read = replay()
        try read.read(text(records, snapshotAt: [40, 80]))
        #expect(try read.keptSnapshot() == direct.keptSnapshot())
    }

    @Test func `a text that begins with a snapshot goes on from there`() throws {
        let records = try RandomLog.records(100, seed: 6)
        let whole = replay()
        try whole.read(text(records))
        let lines = try text(records, snapshotAt: [60]).split(separator: "\n")
        let part = replay()
        try part.read(([lines[0]] + lines[61...]).joined(separator: "\r\n"))
        #expect(try part.keptSnapshot() == whole.keptSnapshot())
    }

    @Test func `what is wrong with a text is said with its line`() throws {
        let records = try RandomLog.records(3, seed: 7)
        let lines = try text(records, snapshotAt: [2]).split(separator: "\n").map(String.init)
        for (wrong, message) in [
            ("", "Line 1: The text is empty."),
            (lines[1], "Line 1: A journal's text begins with its header."),
            (
                [lines[0], lines[0]].joined(separator: "\n"),
                "Line 2: A second header: these are two journals."
            ),
            (
                [lines[0], lines[2], "", lines[1]].joined(separator: "\n"),
                "Line 4: The offset isn't above that of the entry before."
            ),
            (
                [lines[0], lines[1], lines[3]].joined(separator: "\n"),
                "Line 3: The snapshot doesn't belong behind offset 1."
            ),
        ] {
            let error = #expect(throws: JournalTextError.self) { try replay().read(wrong) }
            #expect(error?.description == message)
        }
    }

    @Test func `a snapshot that isn't what the entries lead to is found`() throws {
        let records = try RandomLog.records(20, seed: 8)
        let other = RoomReplay(Shop.room(from: Shop(tea: 1)), limits: RandomLog.limits)
        let error = #expect(throws: JournalTextError.self) {
            try other.read(text(records, snapshotAt: [20]))
        }
        #expect(error?.line == 22)
        #expect(error?.problem == "The snapshot's state isn't what the entries lead to.")
    }

    @Test func `what a state doesn't write makes no difference to its snapshot`() throws {
        struct Jar: Codable, Equatable, Sendable {
            var tea = 0
            var timesFilled = 0

            enum CodingKeys: CodingKey { case tea }
        }
        let room = RoomDefinition(
            state: Jar(), actions: [AddTea.self], selections: []
        ) { jar, action in
            guard let add = action as? AddTea else { return }
            jar.tea += add.by
            jar.timesFilled += 1
        }
        let entry = JournalEntry(
            client: .ada, seq: 1, base: 0, settled: 0, sender: .anonymous,
            time: Timestamp(secondsSince1970: 0), seed: 0, actions: [AddTea(by: 2)])
        let record = try JournalRecord(entry)
        let replay = RoomReplay(room)
        try replay.reduce(record, at: 1)
        let kept = try replay.keptSnapshot()
        #expect(try replay.agrees(with: kept))
        let verification = JournalVerification(room)
        try verification.add(record, at: 1)
        try verification.check(kept)
        #expect(verification.divergence == nil)
        let lines: [JournalLine] = [
            .header(room: "/", epoch: "e"), .entry(offset: 1, record), .snapshot(kept),
        ]
        let text: [UInt8] = try lines.flatMap { try $0.bytes() }
        try RoomReplay(room).read(text)
    }

    @Test func `the state at any version can be looked at, and what changed in between`() throws {
        let replay = RoomReplay(Shop.room)
        var trees = [try replay.tree()]
        for (index, action) in ([AddTea(by: 2), Write(text: "a")] as [any SyncAction]).enumerated()
        {
            let entry = JournalEntry(
                client: .ada, seq: UInt64(index + 1), base: 0, settled: 0, sender: .anonymous,
                time: Timestamp(secondsSince1970: 0), seed: 0, actions: [action])
            let replayed = try replay.reduce(try JournalRecord(entry), at: UInt64(index + 1))
            #expect(replayed.version == UInt64(index + 1))
            trees.append(try replay.tree())
        }
        #expect(
            trees[2] == ["tea": 2, "coffee": 0, "log": ["a"], "notes": [:]])
        let differences = JSONDifferences(between: trees[0], and: trees[2])
        #expect(differences.places.map(\.description).sorted() == ["/log", "/tea"])
        #expect(JSONDifferences(between: trees[1], and: trees[2]).places == [JSONPointer(["log"])])
    }
}
