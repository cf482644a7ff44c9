import StorecastClient
import StorecastDevtools
import StorecastServer
import Testing

@testable import StorecastRoom

/// The devtools of a server with tallies at every path.
@MainActor
@Suite(.timeLimit(.minutes(1)))
struct DevtoolsRoomTests {
    /// A server whose journal keeps everything, a client of `/` and one of the devtools.
    private struct Fixture {
        let server: SyncServer
        let client: RemoteConnection
        let devtools: DevtoolsClient

        @MainActor
        init(loops: Int = 1) async throws {
            let room = Tallies.room.validate(Add.self) { _, add, _ in
                if add.number < 0 { throw Rejection(.invalid, "Only up.") }
            }
            server = SyncServer(
                port: 0,
                journal: JournalProvider { () throws(JournalError) in
                    MemoryJournalStore(capacity: .max)
                },
                loops: loops, extensions: [.devtools(.token(DevtoolsClient.token))],
                rooms: { $0 == "/none" ? nil : room }
            ) { Identity($0.token ?? "") }
            let url = try await server.start()
            client = RemoteConnection(url, token: { "ada" })
            devtools = DevtoolsClient(url)
        }

        func add(_ numbers: Int...) async throws {
            for number in numbers { _ = try await client.dispatch(Add(number: number)).outcome }
        }

        func end() async {
            client.close()
            devtools.connection.close()
            await server.stop()
        }
    }

    private static let room: JSON = ["room": "/"]

    @Test(arguments: [1, 3])
    func `the rooms are listed with who is in them, and the devtools aren't`(
        loops: Int
    ) async throws {
        let fixture = try await Fixture(loops: loops)
        try await fixture.add(1, 2)
        let store = RemoteStore(Tallies.count, on: fixture.client)
        for await count in store.states where count == 3 { break }
        let answer = try await fixture.devtools.answer("rooms") { answer in
            answer["rooms"]?[0]?["subscriptions"]?["count"] == 1
        }
        #expect(answer["total"] == 1)
        let room = try #require(answer["rooms"]?[0])
        #expect(room["room"] == "/")
        #expect(room["version"] == 2)
        #expect(room["clients"] == 1)
        #expect(room["lag"] == 0)
        #expect(room["phase"] == "ready")
        #expect(try #require(room["traffic"]?["received"]?["bytes"]?.int) > 100)
        await fixture.end()
    }

    @Test func `a room is shown with its people and what they look at`() async throws {
        let fixture = try await Fixture()
        try await fixture.add(1)
        let store = RemoteStore(Tallies.last, on: fixture.client)
        for await last in store.states where last == "ada" { break }
        let answer = try await fixture.devtools.answer("room", Self.room) { answer in
            answer["clients"]?[0]?["subscriptions"]?[0] != nil
        }
        let client = try #require(answer["clients"]?[0])
        #expect(client["user"] == "ada")
        #expect(client["address"] == "127.0.0.1")
        #expect(client["subscriptions"]?[0]?["selection"] == "last")
        #expect(client["subscriptions"]?[0]?["lag"] == 0)
        #expect(answer["actions"] == ["Add"])
        await fixture.end()
    }

    @Test func `the log is live, with what was rejected, and long payloads on demand`()
        async throws
    {
        let fixture = try await Fixture()
        try await fixture.add(1)
        let store = fixture.devtools.follow("log", Self.room)
        _ = try await fixture.devtools.answer(of: store)
        try await fixture.add(5)
        await #expect(throws: Rejection.self) { try await fixture.add(-1) }
        let log = try await fixture.devtools.answer(of: store) { $0.array?.count == 2 }
        #expect(log[0]?["version"] == 2)
        #expect(log[0]?["user"] == "ada")
        #expect(log[0]?["actions"] == [["type": "Add", "payload": ["number": 5], "bytes": 12]])
        #expect(log[1]?["rejection"] == "Only up.")
        let number = try #require(log[1]?["number"])
        let entry = try await fixture.devtools.answer("entry", ["room": "/", "number": number])
        #expect(entry["actions"]?[0]?["payload"] == ["number": -1])
        await fixture.end()
    }

    @Test func `the log shows what was refused, as it came`() async throws {
        let fixture = try await Fixture()
        try await fixture.add(1)
        let store = fixture.devtools.follow("log", ["room": "/", "type": "e"])
        _ = try await fixture.devtools.answer(of: store)
        let long = JSON.string(String(repeating: "x", count: 5000))
        for (type, payload) in [("Beer", ["by": 1]), ("Wine", ["by": long])] as [(String, JSON)] {
            let dispatch = fixture.client.dispatch(type: type, payload: payload)
            await #expect(throws: Rejection.self) { try await dispatch.outcome }
        }
        let log = try await fixture.devtools.answer(of: store) { $0.array?.count == 2 }
        #expect(log[0]?["actions"] == [["type": "Beer", "payload": ["by": 1], "bytes": 8]])
        #expect(log[1]?["actions"]?[0]?["type"] == "Wine")
        #expect(log[1]?["actions"]?[0]?["bytes"] == 5009)
        #expect(log[1]?["actions"]?[0]?["excerpt"]?.string?.utf8.count == 1024)
        await fixture.end()
    }

    @Test func `a log may be of one type of action`() async throws {
        let fixture = try await Fixture()
        try await fixture.add(1)
        let others = fixture.devtools.follow("log", ["room": "/", "type": "Sub"])
        let some = fixture.devtools.follow("log", ["room": "/", "type": "Ad"])
        for store in [others, some] { _ = try await fixture.devtools.answer(of: store) }
        try await fixture.add(2)
        let log = try await fixture.devtools.answer(of: some) { $0.array?.isEmpty == false }
        #expect(log.array?.count == 1)
        #expect(others.state == [])
        await fixture.end()
    }

    @Test func `the state follows the room`() async throws {
        let fixture = try await Fixture()
        try await fixture.add(1)
        let first = try await fixture.devtools.answer("state", Self.room)
        #expect(first["state"]?["count"] == 1)
        try await fixture.add(2)
        let second = try await fixture.devtools.answer("state", Self.room) { $0["version"] == 2 }
        #expect(second["state"] == ["count": 3, "last": "ada"])
        await fixture.end()
    }

    @Test(arguments: [1, 3])
    func `the state of any version is found in the journal, and how to undo its last dispatch`(
        loops: Int
    ) async throws {
        let fixture = try await Fixture(loops: loops)
        try await fixture.add(1, 2, 3, 4)
        for (version, count) in [(0, 0), (1, 1), (3, 6), (4, 10)] as [(Int64, Int64)] {
            let place: JSON = ["room": "/", "version": .int(version)]
            let then = try await fixture.devtools.answer("stateAt", place)
            #expect(then["state"]?["count"] == .int(count), "version \(version)")
        }
        let third = try await fixture.devtools.answer("stateAt", ["room": "/", "version": 3])
        #expect(third["undo"] == [["op": "replace", "path": "/count", "value": 3]])
        // The room is as it was.
        #expect(try await fixture.devtools.answer("state", Self.room)["version"] == 4)
        await fixture.end()
    }

    @Test func `a version may be shown as if dispatches before it hadn't been`() async throws {
        let fixture = try await Fixture()
        try await fixture.add(1, 2, 3, 4)
        let place: JSON = ["room": "/", "version": 4, "skip": [2, 3]]
        let without = try await fixture.devtools.answer("stateAt", place)
        #expect(without["state"]?["count"] == 5)
        #expect(without["undo"] == [["op": "replace", "path": "/count", "value": 10]])
        await fixture.end()
    }

    @Test func `a version that isn't there is said to be none`() async throws {
        let fixture = try await Fixture()
        try await fixture.add(1)
        let answer = try await fixture.devtools.answer("stateAt", ["room": "/", "version": 7])
        #expect(answer["problem"] == "The room hasn't come to this version.")
        let elsewhere = try await fixture.devtools.answer("state", ["room": "/closed"])
        #expect(elsewhere["problem"]?.string?.contains("isn't open") == true)
        await fixture.end()
    }

    @Test func `the past is listed with versions and outcomes`() async throws {
        let fixture = try await Fixture()
        try await fixture.add(1)
        await #expect(throws: Rejection.self) { try await fixture.add(-1) }
        try await fixture.add(2)
        let past = try await fixture.devtools.answer("history", ["room": "/", "through": 2])
        #expect(past.array?.map { $0["version"] } == [1, 1, 2])
        #expect(past.array?.map { $0["rejection"] } == [nil, "Only up.", nil])
        await fixture.end()
    }

    @Test func `the journal's lines are those that a replay reads`() async throws {
        let fixture = try await Fixture()
        try await fixture.add(1, 2, 3)
        let page = try await fixture.devtools.answer("lines", ["room": "/", "after": 0])
        #expect(page["next"] == .null)
        let lines = page["lines"]?.array?.compactMap(\.string) ?? []
        let replay = RoomReplay(Tallies.room)
        try replay.read(lines.joined(separator: "\n"))
        #expect(replay.state == Tallies(count: 6, last: "ada"))
        await fixture.end()
    }

    @Test func `an action is dispatched as the developers', and its outcome told`() async throws {
        let fixture = try await Fixture()
        try await fixture.add(1)
        let good = try await fixture.devtools.dispatch("Add", ["number": 4])
        #expect(good["version"] == 2)
        let state = try await fixture.devtools.answer("state", Self.room) { $0["version"] == 2 }
        #expect(state["state"] == ["count": 5, "last": "storecast.devtools"])
        for (type, payload, room) in [
            ("Add", ["number": -4], "/"), ("Addd", [:], "/"), ("Add", ["number": "x"], "/"),
            ("Add", ["number": 1], "/none"), ("dispatch", [:], "/devtools"),
        ] as [(String, JSON, String)] {
            let bad = try await fixture.devtools.dispatch(type, payload, to: room)
            #expect(bad["version"] == nil)
            #expect(bad["problem"]?.string?.isEmpty == false, "\(type) \(payload) in \(room)")
        }
        await fixture.end()
    }

    @Test func `answers can't be made up by clients`() async throws {
        struct AnswerQuestions: SyncAction { var answers: [JSON] = [] }
        let fixture = try await Fixture()
        await #expect(throws: Rejection.self) {
            _ = try await fixture.devtools.connection.dispatch(AnswerQuestions()).outcome
        }
        await fixture.end()
    }

    @Test func `rates are kept while somebody looks`() async throws {
        let fixture = try await Fixture()
        try await fixture.add(1)
        let samples = try await fixture.devtools.answer("graphs", Self.room) { samples in
            (samples.array?.count ?? 0) >= 2
        }
        #expect(samples[1]?["actions"] == 0)
        await fixture.end()
    }

    @Test func `questions beyond those that are answered at a time wait for their turn`()
        async throws
    {
        let fixture = try await Fixture()
        try await fixture.add(1)
        var stores = (1...64).map { number in
            fixture.devtools.follow("entry", ["room": "/", "number": .int(number)])
        }
        for store in stores { _ = try await fixture.devtools.answer(of: store) }
        let rooms = fixture.devtools.follow("rooms")
        let state = fixture.devtools.follow("state", Self.room)
        _ = try await fixture.devtools.dispatch("Add", ["number": 1])
        #expect(rooms.state.isNull && state.state.isNull)
        stores = []
        #expect(try await fixture.devtools.answer(of: rooms)["total"] == 1)
        #expect(try await fixture.devtools.answer(of: state)["version"] == 2)
        await fixture.end()
    }

    @Test func `a room has no observer when nobody looks any more`() async throws {
        let fixture = try await Fixture()
        try await fixture.add(1)
        _ = try await fixture.devtools.answer("log", Self.room)
        let isObserved = { @MainActor in
            await fixture.server.isObserved("/")
        }
        #expect(await isObserved())
        fixture.devtools.connection.close()
        while await isObserved() { await Task.yield() }
        await fixture.end()
    }
}
