import StorecastClient
import StorecastServer
import TestSupport
import Testing

@testable import StorecastDevtools
@testable import StorecastRoom

/// Who changed a place of a state, and since when something is so.
@MainActor
@Suite(.timeLimit(.minutes(30)), .fewAtATime)
struct HistorySearchTests {
    private func change(
        _ fixture: DevtoolsServer, _ path: String, through version: Int
    ) async throws -> JSON {
        try await fixture.devtools.answer(
            "change",
            ["room": "/", "path": .string(path), "through": .int(Int64(version))])
    }

    private func first(
        _ fixture: DevtoolsServer, _ test: String, _ value: JSON?, from: Int = 0, through: Int
    ) async throws -> JSON {
        var parameters: JSONObject = [
            "room": "/", "path": "/count", "test": .string(test),
            "from": .int(Int64(from)), "through": .int(Int64(through)),
        ]
        parameters["value"] = value
        return try await fixture.devtools.answer("first", .object(parameters))
    }

    /// Counts 1, 1, 6, 10, 10.
    private func server(_ limits: SyncLimits = SyncLimits()) async throws -> DevtoolsServer {
        let fixture = try await DevtoolsServer(limits: limits)
        try await fixture.add(1, 0, 5, 4, 0)
        return fixture
    }

    @Test func `the last dispatch that changed a place is found, up to a version`() async throws {
        let fixture = try await server()
        for (version, expected, before, after) in [
            (5, 4, 6, 10), (4, 4, 6, 10), (3, 3, 1, 6), (2, 1, 0, 1), (1, 1, 0, 1),
        ] as [(Int, JSON, JSON, JSON)] {
            let answer = try await change(fixture, "/count", through: version)
            #expect(answer["version"] == expected, "up to \(version)")
            #expect(answer["before"] == before && answer["after"] == after)
            #expect(answer["dispatch"]?["user"] == "ada")
            #expect(answer["dispatch"]?["version"] == expected)
        }
        // By the first, and never again.
        #expect(try await change(fixture, "/last", through: 5)["version"] == 1)
        let never = try await change(fixture, "/nowhere", through: 5)
        #expect(never == ["version": .null, "from": 0, "through": 5])
        await fixture.end()
    }

    @Test func `the first version is found at which a place compares so`() async throws {
        let fixture = try await server()
        let cases: [(String, JSON?, Int, JSON)] = [
            (">", 5, 0, 3), (">", 5, 4, 4), ("=", 10, 0, 4), ("=", 10.0, 0, 4), ("<", 1, 0, 0),
            ("!=", 0, 0, 1), ("exists", nil, 0, 0), ("missing", nil, 0, .null),
            ("=", 7, 0, .null), (">", "5", 0, .null),
        ]
        for (test, value, from, expected) in cases {
            let answer = try await first(fixture, test, value, from: from, through: 5)
            #expect(answer["version"] == expected, "\(test) \(value ?? .null) from \(from)")
        }
        let found = try await first(fixture, ">", 5, through: 5)
        #expect(found["before"] == 1 && found["after"] == 6)
        #expect(found["dispatch"]?["actions"]?[0]?["type"] == "Add")
        await fixture.end()
    }

    @Test func `what can't be looked for is said`() async throws {
        let fixture = try await server()
        let bad = try await change(fixture, "count", through: 5)
        #expect(bad["problem"]?.string?.contains("begins with") == true)
        let later = try await change(fixture, "/count", through: 6)
        #expect(later["problem"] == "The room hasn't come to this version.")
        await fixture.end()
    }

    /// 25 dispatches with a snapshot after each ten: what changed is in the first or second ten.
    @Test(arguments: [3, 13])
    func `what changed before a snapshot is found behind the one before`(
        version: Int
    ) async throws {
        var limits = SyncLimits()
        limits.snapshots.entries = 10
        let fixture = try await DevtoolsServer(limits: limits)
        for number in 1...25 { try await fixture.add(number == version ? 1 : 0) }
        let found = try await change(fixture, "/count", through: 25)
        #expect(found["version"] == .int(Int64(version)))
        #expect(try await first(fixture, "=", 1, through: 25)["version"] == found["version"])
        await fixture.end()
    }

    @Test func `where the journal is cut off, what is kept is looked through`() async throws {
        var limits = SyncLimits()
        limits.snapshots.entries = 10
        limits.snapshots.kept = 1
        let fixture = try await DevtoolsServer(limits: limits)
        for number in 1...15 { try await fixture.add(number < 4 ? 1 : 0) }
        let nothing = try await change(fixture, "/count", through: 15)
        #expect(nothing["version"] == .null)
        let from = try #require(nothing["from"]?.int)
        #expect((10...14).contains(from) && nothing["through"] == 15)
        let first = try await first(fixture, "=", 3, through: 15)
        #expect(first["version"] == .int(Int64(from)))
        await fixture.end()
    }

    // MARK: Bounds

    private func records(_ count: Int) -> [JournalChunk.Record] {
        (1...count).map { number in
            let seq = UInt64(number)
            let action = JournalAction(type: "Add", payload: Array(#"{"number":1}"#.utf8))
            let record = JournalRecord(
                client: "c", seq: seq, base: 0, settled: seq - 1, sender: Identity("ada"),
                time: Timestamp(secondsSince1970: 0), seed: seq, actions: [action])
            return (offset: seq, record: record)
        }
    }

    /// As where an older snapshot can't be read.
    @Test func `what changed before the oldest snapshot is found from the beginning of the log`()
        throws
    {
        let search = try HistorySearch(
            Tallies.room, SyncLimits(), change: ChangeParameters(path: "/last", through: 9))
        let state = try JSONCoding.encodeTree(Tallies(count: 6, last: "ada"))
        let stateText = String(decoding: state.canonicalBytes, as: UTF8.self)
        let text = """
            {"format":1,"schema":1,"version":6,"hash":"\(state.stateHash)",\
            "clients":{"horizon":0,"records":[]},"state":\(stateText)}
            """
        let kept = JournalSnapshot(offset: 6, version: 6, content: Array(text.utf8))
        #expect(search.restore(kept))
        guard case .again = search.take(records(9).suffix(3), isLast: true) else {
            Issue.record("It doesn't look before the snapshot.")
            return
        }
        search.begin()
        guard case .done(let answer) = search.take(records(9), isLast: true) else {
            Issue.record("It goes on.")
            return
        }
        #expect(answer["version"] == 1 && answer["before"] == "" && answer["after"] == "ada")
    }

    @Test func `what takes too long ends, and says how far it came`() throws {
        let search = try HistorySearch(
            Tallies.room, SyncLimits(),
            first: FirstParameters(
                path: "/count", test: .equals, value: 9, from: 0, through: 9),
            maxTime: .zero)
        guard case .done(let answer) = search.take(records(9), isLast: true) else {
            Issue.record("It goes on.")
            return
        }
        #expect(
            answer == ["version": .null, "from": 0, "through": 1, "isBounded": true])
        let change = try HistorySearch(
            Tallies.room, SyncLimits(),
            change: ChangeParameters(path: "/count", through: 9), maxTime: .zero)
        guard case .done(let end) = change.take(records(9), isLast: true) else {
            Issue.record("It goes on.")
            return
        }
        #expect(end["problem"]?.string?.contains("too long") == true)
    }

    @Test func `a large value isn't shown, but that it changed is`() throws {
        let search = try HistorySearch(
            Tallies.room, SyncLimits(),
            change: ChangeParameters(path: "/last", through: 1))
        var record = records(1)[0]
        record.record.sender = Identity(String(repeating: "x", count: 70_000))
        guard case .done(let answer) = search.take([record], isLast: true) else {
            Issue.record("It goes on.")
            return
        }
        #expect(answer["version"] == 1 && answer["before"] == "" && answer["after"] == nil)
        #expect(answer["isCut"] == true)
    }

    @Test func `numbers are compared by value, texts by their bytes, and nothing else`() {
        func holds(_ test: PlaceComparison, _ place: JSON?, _ value: JSON) -> Bool {
            PlaceTest(
                FirstParameters(path: "", test: test, value: value, from: 0, through: 0)
            ).holds(place)
        }
        #expect(holds(.isLess, 1, 1.5) && holds(.isGreater, 2, 1.5))
        #expect(holds(.isGreater, .uint(.max), .uint(.max - 1)))
        #expect(holds(.isLess, "a", "b") && !holds(.isLess, "b", "a"))
        #expect(!holds(.isLess, nil, 1) && !holds(.isLess, [], 1) && !holds(.isLess, "1", 2))
        #expect(!holds(.differs, nil, 1) && holds(.differs, "1", 1))
        #expect(holds(.equals, [1, ["a": .null]], [1.0, ["a": .null]]))
        #expect(holds(.isMissing, nil, .null) && !holds(.isMissing, .null, .null))
    }
}
