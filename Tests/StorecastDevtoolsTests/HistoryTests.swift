import StorecastClient
import StorecastServer
import TestSupport
import Testing

@testable import StorecastDevtools
@testable import StorecastRoom

/// What the devtools show of a room's past.
@MainActor
@Suite(.timeLimit(.minutes(30)), .fewAtATime)
struct HistoryTests {
    @Test(arguments: [1, 3])
    func `the state of any version is found in the journal, and how to undo its last dispatch`(
        loops: Int
    ) async throws {
        let fixture = try await DevtoolsServer(loops: loops)
        try await fixture.add(1, 2, 3, 4)
        for (version, count) in [(0, 0), (1, 1), (3, 6), (4, 10)] as [(Int64, Int64)] {
            let place: JSON = ["room": "/", "version": .int(version)]
            let then = try await fixture.devtools.answer("stateAt", place)
            #expect(then["state"]?["count"] == .int(count), "version \(version)")
        }
        let third = try await fixture.devtools.answer("stateAt", ["room": "/", "version": 3])
        #expect(third["undo"] == [["op": "replace", "path": "/count", "value": 3]])
        // The room is as it was.
        #expect(try await fixture.devtools.answer("state", ["room": "/"])["version"] == 4)
        await fixture.end()
    }

    @Test func `a version may be shown as if dispatches before it hadn't been`() async throws {
        let fixture = try await DevtoolsServer()
        try await fixture.add(1, 2, 3, 4)
        let place: JSON = ["room": "/", "version": 4, "skip": [2, 3]]
        let without = try await fixture.devtools.answer("stateAt", place)
        #expect(without["state"]?["count"] == 5)
        #expect(without["undo"] == [["op": "replace", "path": "/count", "value": 10]])
        await fixture.end()
    }

    @Test func `a version that isn't there is said to be none`() async throws {
        let fixture = try await DevtoolsServer()
        try await fixture.add(1)
        let answer = try await fixture.devtools.answer("stateAt", ["room": "/", "version": 7])
        #expect(answer["problem"] == "The room hasn't come to this version.")
        let elsewhere = try await fixture.devtools.answer("state", ["room": "/closed"])
        #expect(elsewhere["problem"]?.string?.contains("isn't open") == true)
        await fixture.end()
    }

    @Test func `what a snapshot replaces isn't shown, and the dispatch behind it is`() async throws
    {
        var limits = SyncLimits()
        limits.snapshots.entries = 10
        limits.snapshots.kept = 1
        let fixture = try await DevtoolsServer(limits: limits)
        for _ in 1...15 { try await fixture.add(1) }
        // What the tenth changed isn't known.
        let tenth = try await fixture.devtools.answer("stateAt", Self.stateAt(10))
        #expect(tenth["problem"] == "The journal no longer has what led to it.")
        let next = try await fixture.devtools.answer("stateAt", Self.stateAt(11))
        #expect(next["state"]?["count"] == 11)
        #expect(next["undo"] == [["op": "replace", "path": "/count", "value": 10]])
        await fixture.end()
    }

    @Test func `the past is listed with versions and outcomes`() async throws {
        let fixture = try await DevtoolsServer()
        try await fixture.add(1)
        await #expect(throws: Rejection.self) { try await fixture.add(-1) }
        try await fixture.add(2)
        let past = try await fixture.devtools.answer("history", ["room": "/", "through": 2])
        #expect(past.array?.map { $0["version"] } == [1, 1, 2])
        #expect(past.array?.map { $0["rejection"] } == [nil, "Only up.", nil])
        await fixture.end()
    }

    @Test func `the journal's lines are those that a replay reads`() async throws {
        let fixture = try await DevtoolsServer()
        try await fixture.add(1, 2, 3)
        let page = try await fixture.devtools.answer("lines", ["room": "/", "after": 0])
        #expect(page["next"] == .null)
        let lines = page["lines"]?.array?.compactMap(\.string) ?? []
        let replay = RoomReplay(Tallies.room)
        try replay.read(lines.joined(separator: "\n"))
        #expect(replay.state == Tallies(count: 6, last: "ada"))
        await fixture.end()
    }

    /// Pages of more than 2000 entries, and of more than 4 MiB.
    @Test(arguments: [(count: 2100, bytes: 0), (count: 7, bytes: 900_000)])
    func `a past of more than one page is read to its end`(count: Int, bytes: Int) async throws {
        let fixture = try await DevtoolsServer()
        let room = try await fixture.server.room("/", of: Tallies.self)
        for _ in 1..<count {
            room.dispatch(Add(number: 1, padding: String(repeating: "x", count: bytes)))
        }
        _ = try await room.dispatch(Add(number: 1)).outcome
        for version in [count - 1, count] {
            let then = try await fixture.devtools.answer("stateAt", Self.stateAt(Int64(version)))
            try #require(then["state"]?["count"] == .int(Int64(version)))
        }
        let through = JSON.int(Int64(count))
        let past = try await fixture.devtools.answer(
            "history", ["room": "/", "through": through])
        #expect(past.array?.last?["version"] == through)
        await fixture.end()
    }

    @Test func `the journal's lines come page by page, none twice and none left out`() async throws
    {
        let fixture = try await DevtoolsServer()
        let room = try await fixture.server.room("/", of: Tallies.self)
        for _ in 1...1200 { room.dispatch(Add(number: 1)) }
        _ = try await room.dispatch(Add(number: 1)).outcome
        var (pages, lines, next) = (0, [String](), JSON.int(0) as JSON?)
        while let after = next, !after.isNull, pages < 5 {
            let page = try await fixture.devtools.answer("lines", ["room": "/", "after": after])
            lines += page["lines"]?.array?.compactMap(\.string) ?? []
            next = page["next"]
            pages += 1
        }
        #expect(pages == 3)
        #expect(lines.count == 1202)
        let replay = RoomReplay(Tallies.room)
        try replay.read(lines.joined(separator: "\n"))
        #expect(replay.state.count == 1201)
        await fixture.end()
    }

    private nonisolated static func stateAt(_ version: Int64, in room: String = "/") -> JSON {
        ["room": .string(room), "version": .int(version)]
    }

    @Test(
        arguments: [
            ("stateAt", stateAt(1), true),
            ("stateAt", ["room": "/", "version": 2, "skip": [1]], true),
            ("history", ["room": "/", "through": 2], true),
            // More may come behind the last line.
            ("lines", ["room": "/", "after": 0], false), ("stateAt", stateAt(99), false),
            ("history", ["room": "/", "through": 99], false),
        ] as [(String, JSON, Bool)])
    func `what stays true is read once, and anything else again`(
        selection: String, parameters: JSON, isKept: Bool
    ) async throws {
        let fixture = try await DevtoolsServer()
        try await fixture.add(1, 2)
        do {
            let store = fixture.devtools.follow(selection, parameters)
            _ = try await fixture.devtools.answer(of: store)
            try await fixture.pass()
            withExtendedLifetime(store) {}
        }
        try await fixture.pass()
        let before = fixture.lookupCount
        _ = try await fixture.devtools.answer(selection, parameters)
        try await fixture.pass()
        // Once more if it is still followed when something is added.
        #expect((fixture.lookupCount == before) == isKept)
        await fixture.end()
    }

    @Test(
        arguments: [
            ("stateAt", stateAt(5)), ("stateAt", ["room": "/", "version": 5, "skip": [1]]),
            ("history", ["room": "/", "through": 5]), ("stateAt", stateAt(1, in: "/later")),
            ("lines", ["room": "/later", "after": 0]),
        ] as [(String, JSON)])
    func `a problem that has passed is shown no more`(
        selection: String, parameters: JSON
    ) async throws {
        let fixture = try await DevtoolsServer()
        try await fixture.add(1, 2)
        do {
            let store = fixture.devtools.follow(selection, parameters)
            #expect(try await fixture.devtools.answer(of: store)["problem"] != nil)
            try await fixture.pass()
            withExtendedLifetime(store) {}
        }
        try await fixture.pass()
        try await fixture.add(3, 4, 5)
        let later = RemoteConnection(fixture.url.at("/later"), token: { "bob" })
        _ = try await later.dispatch(Add(number: 1)).outcome
        let answer = try await fixture.devtools.answer(selection, parameters)
        #expect(answer["problem"] == nil)
        later.close()
        await fixture.end()
    }

    @Test func `who follows a room that isn't open sees it when it is`() async throws {
        let fixture = try await DevtoolsServer()
        let store = fixture.devtools.follow("state", ["room": "/later"])
        #expect(try await fixture.devtools.answer(of: store)["problem"] != nil)
        let later = RemoteConnection(fixture.url.at("/later"), token: { "bob" })
        _ = try await later.dispatch(Add(number: 1)).outcome
        _ = try await fixture.devtools.answer(of: store) { $0["version"] == 1 }
        later.close()
        await fixture.end()
    }

    @Test func `eight answers about the past are kept that nobody looks at`() async throws {
        let fixture = try await DevtoolsServer()
        for _ in 1...10 { try await fixture.add(1) }
        func ask() async throws {
            let stores = (1...10).map { fixture.devtools.follow("stateAt", Self.stateAt($0)) }
            for store in stores { _ = try await fixture.devtools.answer(of: store) }
            try await fixture.pass()
            withExtendedLifetime(stores) {}
        }
        try await ask()
        try await fixture.pass()
        let before = fixture.lookupCount
        try await ask()
        // More if one is still followed when others are left.
        #expect((before + 2...before + 4).contains(fixture.lookupCount))
        await fixture.end()
    }
}

/// A room's past without some of its dispatches.
struct HistoryPlaybackTests {
    private func records(_ numbers: [Int]) -> [JournalChunk.Record] {
        numbers.enumerated().map { place, number in
            let seq = UInt64(place + 1)
            let action = JournalAction(
                type: "Add", payload: Array(#"{"number":\#(number)}"#.utf8))
            let record = JournalRecord(
                client: "c", seq: seq, base: 0, settled: seq - 1, sender: Identity("ada"),
                time: Timestamp(secondsSince1970: 0), seed: seq, actions: [action])
            return (offset: seq, record: record)
        }
    }

    /// What is answered of a version, from records in pages of so many.
    ///
    /// - Parameter before: of how many of them there is a snapshot.
    /// - Returns: nil if it may not begin with the snapshot.
    private func answer(
        _ numbers: [Int], at version: UInt64, skip: [UInt64]?, page: Int, behind before: Int = 0
    ) throws -> JSON? {
        let playback = HistoryPlayback(
            Tallies.upTo10, SyncLimits(),
            at: VersionParameters(version: version, skip: skip))
        var rest = records(numbers)[...]
        if before > 0 {
            let replay = RoomReplay(Tallies.upTo10)
            for (offset, record) in rest.prefix(before) { try replay.reduce(record, at: offset) }
            let kept = try replay.keptSnapshot()
            guard kept.version <= playback.start else { return nil }
            try #require(playback.restore(kept))
            rest = rest.dropFirst(before)
        }
        while true {
            let records = Array(rest.prefix(page))
            rest = rest.dropFirst(page)
            if case .done(let answer) = playback.take(records, isLast: rest.isEmpty) {
                return answer
            }
        }
    }

    /// What is added, up to which version, and without which; what it comes to, and how many have
    /// another outcome for it.
    private typealias Case = (
        numbers: [Int], version: UInt64, skip: [UInt64], count: Int, affected: Int
    )

    private static let cases: [Case] = [
        ([1, 2, 3, 4], 4, [2, 3], 5, 0), ([1, 2, 3, 4], 3, [4], 6, 0),
        ([1, 2, 3, 4], 4, [9], 10, 0), ([1, 2], 2, [1, 2], 0, 0),
        // What has room only without the first: it was refused at the first's version.
        ([6, 6, 3], 2, [1], 9, 1), ([6, 6, 3], 2, [2], 6, 0), ([6, 6, 3], 2, [1, 2], 6, 1),
        ([6, 6, 5, 3], 2, [1], 9, 1), ([6, 5, 6, 3], 2, [1], 8, 1),
        ([5, 5, 1, 4, -5], 3, [2], 5, 2), ([6, 9, 2, 8], 2, [1], 9, 2),
        // What was possible only after the first.
        ([8, -5, 7], 3, [1], 7, 1), ([8, -5, -3, 1], 4, [1], 1, 2),
        // Refused at version 0, which no dispatch led to.
        ([11, 6], 1, [0], 6, 0),
    ]

    @Test(arguments: cases.indices, [1, 2, 100])
    func `only dispatches that led to a version are skipped, and the others tried`(
        row: Int, page: Int
    ) throws {
        let (numbers, version, skip, count, affected) = Self.cases[row]
        let answer = try #require(try answer(numbers, at: version, skip: skip, page: page))
        #expect(answer["version"] == .uint(version))
        #expect(answer["state"]?["count"] == .int(Int64(count)))
        #expect(answer["affected"] == .int(Int64(affected)))
    }

    @Test(arguments: cases.indices)
    func `wherever it begins, with a snapshot of the room, the answer is the same`(
        row: Int
    ) throws {
        let (numbers, version, skip, _, _) = Self.cases[row]
        for skip in [skip, nil] {
            let whole = try answer(numbers, at: version, skip: skip, page: 100)
            for before in 1...numbers.count {
                let answer = try answer(
                    numbers, at: version, skip: skip, page: 100, behind: before)
                #expect(answer == nil || answer == whole, "behind \(before), skip \(skip ?? [])")
            }
        }
    }

    /// A room of 20 dispatches that all led to a version.
    @Test(
        arguments: [
            (version: 20, skip: nil, newest: 19), (20, [], 19), (20, [7], 6), (20, [15, 7], 6),
            (20, [20], 19), (20, [1], 0), (20, [0], 0), (7, [7], 6), (7, [12], 6), (1, nil, 0),
            (1, [1], 0),
        ] as [(version: UInt64, skip: [UInt64]?, newest: Int)])
    func `it may begin with the newest snapshot in front of all that is skipped or undone`(
        version: UInt64, skip: [UInt64]?, newest: Int
    ) throws {
        let numbers = (0..<20).map { $0 % 2 == 0 ? 1 : -1 }
        let usable = try (1...20).filter { before in
            try answer(numbers, at: version, skip: skip, page: 9, behind: before) != nil
        }
        #expect(usable == Array(1..<newest + 1))
    }

    @Test func `a past that nothing is left out of is as it was`() throws {
        for skip in [nil, []] as [[UInt64]?] {
            let answer = try #require(try answer([6, 6, 3], at: 2, skip: skip, page: 1))
            #expect(answer["state"]?["count"] == 9)
            #expect(answer["undo"] == [["op": "replace", "path": "/count", "value": 6]])
            #expect(answer["affected"] == nil)
        }
    }

    @Test func `what was appended twice is in the past once`() throws {
        let added = records([1, 2])
        let twice: [JournalChunk.Record] = [
            added[0], (offset: 2, record: added[0].record), (offset: 3, record: added[1].record),
        ]
        let playback = HistoryPlayback(
            Tallies.upTo10, SyncLimits(), history: HistoryParameters(room: "/", through: 2))
        guard case .done(let past) = playback.take(twice, isLast: true) else {
            Issue.record("It has come to version 2.")
            return
        }
        #expect(past.array?.map { $0["version"] } == [1, 2])
    }

    @Test func `a version that the room hasn't come to has no state`() throws {
        for skip in [nil, [1]] as [[UInt64]?] {
            let answer = try answer([6, 6, 3], at: 3, skip: skip, page: 2)
            #expect(answer == ["problem": "The room hasn't come to this version."])
        }
    }
}
