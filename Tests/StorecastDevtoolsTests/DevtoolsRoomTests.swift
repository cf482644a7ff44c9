import Foundation
import StorecastClient
import StorecastDevtools
import StorecastServer
import Testing
import TestSupport

@testable import StorecastRoom

/// What the devtools show of the present.
@MainActor
@Suite(.timeLimit(.minutes(30)), .fewAtATime)
struct DevtoolsRoomTests {
    private static let room: JSON = ["room": "/"]

    @Test(arguments: [1, 3])
    func `the rooms are listed with who is in them, and the devtools aren't`(
        loops: Int
    ) async throws {
        let fixture = try await DevtoolsServer(loops: loops)
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

    @Test func `a server by itself has no cluster to show`() async throws {
        let fixture = try await DevtoolsServer()
        let answer = try await fixture.devtools.answer("cluster")
        #expect(answer["problem"] == "This server is no part of a cluster.")
        await fixture.end()
    }

    @Test func `a room is shown with its people and what they look at`() async throws {
        let fixture = try await DevtoolsServer()
        let log = fixture.devtools.follow("log", Self.room)
        _ = try await fixture.devtools.answer(of: log)
        try await fixture.add(1)
        let store = RemoteStore(Tallies.last, on: fixture.client)
        for await last in store.states where last == "ada" { break }
        let answer = try await fixture.devtools.answer("room", Self.room) { answer in
            answer["clients"]?[0]?["subscriptions"]?[0] != nil
        }
        let client = try #require(answer["clients"]?[0])
        #expect(client["user"] == "ada")
        // Not the client's own id, which is a secret: who has it can dispatch in its name.
        let entries = try await fixture.devtools.answer(of: log) { $0.array?.count == 1 }
        #expect(try client["participant"] == #require(entries[0]?["participant"]))
        #expect(client["address"] == "127.0.0.1")
        #expect(client["subscriptions"]?[0]?["selection"] == "last")
        #expect(client["subscriptions"]?[0]?["lag"] == 0)
        #expect(answer["actions"] == ["Add"])
        await fixture.end()
    }

    @Test func `a room is shown with what its selections cost`() async throws {
        let fixture = try await DevtoolsServer()
        try await fixture.add(1)
        let store = RemoteStore(Tallies.last, on: fixture.client)
        for await last in store.states where last == "ada" { break }
        try await fixture.add(2, 3)
        let answer = try await fixture.devtools.answer("room", Self.room) { answer in
            (answer["selections"]?[0]?["evaluations"]?.int ?? 0) >= 2
        }
        #expect(answer["selections"]?.array?.count == 1)
        let cost = try #require(answer["selections"]?[0])
        #expect(cost["selection"] == "last" && cost["way"] == "closure" && cost["groups"] == 1)
        #expect(cost["changes"] == 0)
        #expect(try #require(cost["bytes"]?.int) > 0)
        #expect(try #require(cost["microseconds"]?.double) >= 0)
        #expect(try (0...1).contains(#require(cost["share"]?.double)))
        await fixture.end()
    }

    @Test func `a room is shown with what its dispatches cost, by their types`() async throws {
        let fixture = try await DevtoolsServer()
        try await fixture.add(1)
        let room = fixture.devtools.follow("room", Self.room)
        _ = try await fixture.devtools.answer(of: room)
        try await fixture.add(2, 3)
        await #expect(throws: Rejection.self) { try await fixture.add(-1) }
        await #expect(throws: Rejection.self) {
            try await fixture.client.dispatch(type: "Beer", payload: ["by": 1]).outcome
        }
        let answer = try await fixture.devtools.answer(of: room) {
            $0["dispatches"]?.array?.count == 2 && $0["dispatches"]?[0]?["count"] == 3
        }
        let (add, beer) = (answer["dispatches"]?[0], answer["dispatches"]?[1])
        #expect(add?["type"] == "Add" && add?["rejected"] == 1)
        // The texts of {"number":2}, {"number":3} and {"number":-1}.
        #expect(add?["bytes"] == 37)
        #expect(beer?["type"] == "Beer" && beer?["count"] == 1 && beer?["rejected"] == 1)
        #expect(try #require(add?["microseconds"]?.double) > 0)
        let shares = [add, beer].compactMap { $0?["share"]?.double }
        #expect(abs(shares.reduce(-1, +)) < 0.01)
        await fixture.end()
    }

    @Test func `a client is shown with what it knew when it last did something`() async throws {
        let fixture = try await DevtoolsServer()
        try await fixture.add(1)
        let store = RemoteStore(Tallies.count, on: fixture.client)
        for await count in store.states where count == 1 { break }
        let room = fixture.devtools.follow("room", Self.room)
        let first = try await fixture.devtools.answer(of: room) { $0["clients"]?[0] != nil }
        #expect(first["clients"]?[0]?["knew"] == nil)
        try await fixture.add(2)
        let answer = try await fixture.devtools.answer(of: room) {
            $0["clients"]?[0]?["knew"] != nil
        }
        #expect(answer["clients"]?[0]?["knew"] == 1)
        #expect(answer["clients"]?[0]?["knewLate"] == 0)
        #expect(try #require(answer["clients"]?[0]?["silence"]?.double) >= 0)
        await fixture.end()
    }

    @Test func `the actions that a room takes come with payloads to begin with`() async throws {
        let fixture = try await DevtoolsServer()
        try await fixture.add(1)
        let answer = try await fixture.devtools.answer("actions", Self.room)
        #expect(answer["state"] == "Tallies")
        #expect(answer["actions"] == [["type": "Add", "payload": ["number": 0]]])
        let payload = try #require(answer["actions"]?[0]?["payload"])
        #expect(try await fixture.devtools.dispatch("Add", payload)["version"] == 2)
        await fixture.end()
    }

    @Test(arguments: [1, 3])
    func `turns are shown with what took their time, but for the devtools' own`(
        loops: Int
    ) async throws {
        let fixture = try await DevtoolsServer(loops: loops)
        try await fixture.add(1)
        let store = RemoteStore(Tallies.count, on: fixture.client)
        for await count in store.states where count == 1 { break }
        let turns = fixture.devtools.follow("turns", Self.room)
        let before = try #require(try await fixture.devtools.answer(of: turns)["count"]?.int)
        try await fixture.add(2)
        let answer = try await fixture.devtools.answer(of: turns) {
            $0["turns"]?.array?.contains { $0["dispatches"] == 1 } == true
        }
        let turn = try #require(answer["turns"]?.array?.first { $0["dispatches"] == 1 })
        #expect(turn["longest"] == "Add" && turn["room"] == "/")
        let times = ["reduce", "select", "encode", "write"].compactMap { turn[$0]?.double }
        #expect(times.count == 4 && times[0] > 0 && times.allSatisfy { $0 >= 0 })
        #expect(answer["turns"]?.array?.contains { ($0["messages"]?.int ?? 0) > 0 } == true)
        let count = try #require(answer["count"]?.int)
        #expect(answer["slowest"]?.array?.count == min(12, count))
        // The devtools' own were more until the answer came, as they are told four times a second.
        #expect(count - before <= 3)
        await fixture.end()
    }

    @Test func `turns are measured anew for who looks when nobody did`() async throws {
        let fixture = try await DevtoolsServer()
        do {
            let turns = fixture.devtools.follow("turns", Self.room)
            _ = try await fixture.devtools.answer(of: turns)
            for _ in 1...20 { try await fixture.add(1) }
            _ = try await fixture.devtools.answer(of: turns) { ($0["count"]?.int ?? 0) >= 20 }
            withExtendedLifetime(turns) {}
        }
        try await fixture.pass()
        try await fixture.pass()
        let anew = try await fixture.devtools.answer("turns", Self.room)
        #expect(try #require(anew["count"]?.int) < 20)
        await fixture.end()
    }

    @Test(arguments: [1, 3])
    func `a room that nobody is in is opened from its journal, as long as somebody looks`(
        loops: Int
    ) async throws {
        var limits = SyncLimits()
        limits.unloadAfter = .milliseconds(200)
        let fixture = try await DevtoolsServer(loops: loops, limits: limits)
        let later = RemoteConnection(fixture.url.at("/later"), token: { "bob" })
        _ = try await later.dispatch(Add(number: 7)).outcome
        later.close()
        let place: JSON = ["room": "/later"]
        let state = fixture.devtools.follow("state", place)
        func isOpen(_ isOpen: Bool) async throws -> JSON {
            try await fixture.devtools.answer(of: state) { ($0["problem"] == nil) == isOpen }
        }
        _ = try await isOpen(false)
        let opened = try await fixture.devtools.perform("open", place.object ?? [:])
        #expect(opened["version"] == 1 && opened["problem"] == nil)
        #expect(try await isOpen(true)["state"]?["count"] == 7)
        #expect(
            try await fixture.devtools.answer(
                "stateAt", ["room": "/later", "version": 0])["state"]?["count"] == 0)
        // Twice the time after which it left memory before.
        let clock = fixture.devtools.follow("rooms")
        for _ in 0..<2 {
            let before = try await fixture.devtools.answer(of: clock)
            try await fixture.add(1)
            _ = try await fixture.devtools.answer(of: clock) { $0 != before }
        }
        #expect(state.state["problem"] == nil)
        await fixture.end()
    }

    @Test func `what can't be opened is said, and isn't kept`() async throws {
        let fixture = try await DevtoolsServer()
        try await fixture.add(1)
        for (room, problem) in [
            ("/none", "no such room"), ("/never", "Nothing ever happened"),
            ("/devtools", "no such room"), ("later", "no such room"),
            ("/" + String(repeating: "x", count: 512), "no such room"),
        ] {
            let outcome = try await fixture.devtools.perform("open", ["room": .string(room)])
            #expect(outcome["version"] == nil)
            #expect(outcome["problem"]?.string?.contains(problem) == true, "\(outcome)")
        }
        let rooms = try await fixture.devtools.answer("rooms")
        #expect(rooms["total"] == 1)
        await fixture.end()
    }

    @Test func `the log is live, with what was rejected, and long payloads on demand`()
        async throws
    {
        let fixture = try await DevtoolsServer()
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

    @Test func `the log shows the type, size and digest of what was refused`() async throws {
        let fixture = try await DevtoolsServer()
        try await fixture.add(1)
        let store = fixture.devtools.follow("log", ["room": "/", "type": "e"])
        _ = try await fixture.devtools.answer(of: store)
        let long = JSON.string(String(repeating: "x", count: 5000))
        for (type, payload) in [("Beer", ["by": 1]), ("Wine", ["by": long])] as [(String, JSON)] {
            let dispatch = fixture.client.dispatch(type: type, payload: payload)
            await #expect(throws: Rejection.self) { try await dispatch.outcome }
        }
        let log = try await fixture.devtools.answer(of: store) { $0.array?.count == 2 }
        let actions = log.array?.compactMap { $0["actions"]?[0] } ?? []
        #expect(actions.map { $0["type"] } == ["Beer", "Wine"])
        #expect(actions.map { $0["bytes"] } == [8, 5009])
        #expect(actions.allSatisfy { $0["excerpt"]?.string?.hasPrefix("digest ") == true })
        await fixture.end()
    }

    @Test func `a log may be of one type of action`() async throws {
        let fixture = try await DevtoolsServer()
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
        let fixture = try await DevtoolsServer()
        try await fixture.add(1)
        let first = try await fixture.devtools.answer("state", Self.room)
        #expect(first["state"]?["count"] == 1)
        try await fixture.add(2)
        let second = try await fixture.devtools.answer("state", Self.room) { $0["version"] == 2 }
        #expect(second["state"] == ["count": 3, "last": "ada"])
        await fixture.end()
    }

    @Test(arguments: ["$devtools", "$signed-in", "$anonymous"])
    func `a room's rules hold for what is dispatched from here, too`(role: String) async throws {
        let directory = try TemporaryDirectory()
        let file = directory.file("rules.json")
        let rule: JSON = ["roles": [.string(role)], "set": ["/open"]]
        try Data("\(["rules": [rule]] as JSON)".utf8).write(to: URL(filePath: file))
        let rules = try DocumentRules(file: file)
        let server = SyncServer(
            port: 0, extensions: [.devtools(.token(DevtoolsClient.token))],
            authentication: .tokens(TokenTable(["sixteen or more bytes": Identity("ada")])),
            rules: rules,
            rooms: { JSONRoom.definition(initial: ["open": 0]).obeying(rules, at: $0) })
        let devtools = DevtoolsClient(try await server.start())
        for (path, isAllowed) in [("/open", role == "$devtools"), ("/closed", false)] {
            let edit: JSON = ["path": .string(path), "value": 1]
            let outcome = try await devtools.dispatch("set", edit)
            #expect((outcome["version"] != nil) == isAllowed, "\(outcome)")
            #expect(isAllowed || outcome["problem"]?.string?.contains("No rule") == true)
        }
        devtools.connection.close()
        await server.stop()
    }

    @Test func `an action is dispatched as the developers', and its outcome told`() async throws {
        let fixture = try await DevtoolsServer()
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
        // What the devtools refuse comes to no room.
        let tooLong = ForwardedAction(
            ticket: String(repeating: "x", count: 1025), room: "/", type: "Add",
            payload: ["number": 1])
        await #expect(throws: Rejection.self) {
            _ = try await fixture.devtools.connection.dispatch(tooLong).outcome
        }
        #expect(try await fixture.devtools.dispatch("Add", ["number": 1])["version"] == 3)
        await fixture.end()
    }

    @Test func `answers can't be made up by clients`() async throws {
        struct AnswerQuestions: SyncAction { var answers: [JSON] = [] }
        let fixture = try await DevtoolsServer()
        await #expect(throws: Rejection.self) {
            _ = try await fixture.devtools.connection.dispatch(AnswerQuestions()).outcome
        }
        await fixture.end()
    }

    @Test func `rates are kept while somebody looks`() async throws {
        let fixture = try await DevtoolsServer()
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
        let fixture = try await DevtoolsServer()
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

    @Test func `a room has an observer while somebody looks at it, and no longer`() async throws {
        let fixture = try await DevtoolsServer()
        let devtools = fixture.devtools
        try await fixture.add(1)
        let other = RemoteConnection(fixture.url.at("/other"), token: { "bob" })
        _ = try await other.dispatch(Add(number: 1)).outcome
        func areObserved(_ rooms: [String]) async -> Bool {
            await eventually {
                var observed: [String] = []
                for room in ["/", "/other"] where await fixture.server.isObserved(room) {
                    observed.append(room)
                }
                return observed == rooms
            }
        }
        try #require(await areObserved([]))
        do {
            let state = devtools.follow("state", Self.room)
            _ = try await devtools.answer(of: state)
            try #require(await areObserved(["/"]))
            let all = devtools.follow("rooms")
            _ = try await devtools.answer(of: all)
            try #require(await areObserved(["/", "/other"]))
            withExtendedLifetime((state, all)) {}
        }
        try #require(await areObserved([]))
        _ = try await devtools.answer("log", ["room": "/other"])
        let log = devtools.follow("log", ["room": "/other"])
        _ = try await devtools.answer(of: log)
        try #require(await areObserved(["/other"]))
        devtools.connection.close()
        try #require(await areObserved([]))
        withExtendedLifetime(log) {}
        other.close()
        await fixture.end()
    }

    @Test func `a log begins anew when somebody looks again`() async throws {
        let fixture = try await DevtoolsServer()
        try await fixture.add(1)
        do {
            let log = fixture.devtools.follow("log", Self.room)
            _ = try await fixture.devtools.answer(of: log)
            try await fixture.add(2)
            _ = try await fixture.devtools.answer(of: log) { $0.array?.count == 1 }
        }
        try #require(await eventually { await !fixture.server.isObserved("/") })
        let log = fixture.devtools.follow("log", Self.room)
        _ = try await fixture.devtools.answer(of: log) { $0 == [] }
        try await fixture.add(3)
        let again = try await fixture.devtools.answer(of: log) { $0.array?.isEmpty == false }
        #expect(again.array?.map { $0["version"] } == [3])
        await fixture.end()
    }
}
