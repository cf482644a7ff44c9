import Testing

@testable import StorecastMirror
@testable import StorecastRoom

struct ClientSessionReconnectTests {
    let loop = TestLoop()
    let client: TestClient

    init() {
        client = TestClient(on: loop)
    }

    private func follow(_ client: TestClient, _ selection: String, _ parameters: JSON? = nil)
        -> Mirror
    {
        let mirror = client.session.mirror(selection, parameters)
        mirror.observers[0] = { _ in }
        return mirror
    }

    @Test func `a reconnect sends exactly what is unsettled, in order, as it was`() throws {
        let room = loop.open(Shop.room)
        client.connect(to: room)
        client.settle()
        client.dispatch(Write(text: "1"))
        client.settle()
        let outcomes = (2...4).map { client.dispatch(Write(text: "\($0)")) }
        client.speak()
        // The server gets them, and the connection breaks before it can answer.
        while client.hasUnderway { client.arrive() }
        client.cut()
        loop.endTurn()
        client.dispatch(Write(text: "5"))
        _ = client.takeSaid()
        client.connect(to: room)
        client.settle()
        let said = client.takeSaid()
        #expect(said[0]["settled"] == 1)
        #expect(said[0]["seen"]?.v == 1)
        #expect(said.filter { $0.op == "dispatch" }.map { $0["seq"] } == [5])
        #expect(room.store.state.log == ["1", "2", "3", "4", "5"])
        #expect(try outcomes.map { try $0.settled?.get().version } == [4, 4, 4])
    }

    @Test func `a mirror that was refused, and ends while it is asked for again, is forgotten`() {
        let room = loop.open(Shop.room)
        let refused = follow(client, "log")
        client.connect(to: room)
        client.settle()
        refused.fail(Rejection(.forbidden, "Not you."))
        client.cut()
        client.connect(to: room)
        client.speak()
        refused.observers = [:]
        client.session.release(refused)
        let mirror = follow(client, "log")
        client.settle()
        #expect(client.takeSaid().ops.suffix(2) == ["unsubscribe", "subscribe"])
        #expect(mirror.value == [])
    }

    @Test func `an outcome that welcome tells waits until the mirrors show it`() {
        let room = loop.open(Shop.room)
        let log = follow(client, "log")
        client.connect(to: room)
        client.settle()
        let outcome = client.dispatch(Write(text: "1"))
        client.speak()
        while client.hasUnderway { client.arrive() }
        client.cut()
        loop.endTurn()
        var seen: [JSON?] = []
        log.observers[1] = { mirror in
            seen.append(outcome.settled == nil ? mirror.value : "too late")
        }
        client.connect(to: room)
        client.settle()
        #expect(seen == [["1"]])
        #expect(outcome.settled != nil)
    }

    @Test func `what never arrived is sent again with its old number and base`() {
        let room = loop.open(Shop.room)
        client.connect(to: room)
        client.settle()
        client.dispatch(Write(text: "1"))
        client.speak()
        client.cut()
        room.dispatch(Write(text: "0"), DispatchOutcome())
        loop.endTurn()
        client.connect(to: room)
        _ = client.takeSaid()
        client.settle()
        let said = client.takeSaid().filter { $0.op == "dispatch" }
        #expect(said.map { $0["seq"] } == [1])
        #expect(said.map { $0["base"] } == [0])
        #expect(room.store.state.log == ["0", "1"])
    }

    @Test func `an outcome that got lost is told by welcome`() {
        let room = loop.open(Shop.room)
        client.connect(to: room)
        client.settle()
        let bad = client.dispatch(AddBeer())
        client.speak()
        client.arrive()
        client.cut()
        loop.endTurn()
        client.connect(to: room)
        client.settle()
        #expect(throws: Rejection.self) { try bad.settled?.get() }
        #expect(client.takeSaid().filter { $0["seq"] == 1 }.count == 1)
    }

    @Test func `an incomplete transaction has no effect`() {
        let room = loop.open(Shop.room)
        let (tea, coffee) = (follow(client, "tea"), follow(client, "coffee"))
        client.connect(to: room)
        client.settle()
        let outcome = client.dispatch(AddTea(by: 1))
        room.dispatch(AddCoffee(by: 1), DispatchOutcome())
        client.speak()
        client.arrive()
        loop.endTurn()
        #expect(client.wire?.messages.map(\.json).ops == ["transaction", "snapshot", "snapshot"])
        client.read()
        client.read()
        client.cut()
        #expect(tea.value == 0)
        #expect(coffee.value == 0)
        #expect(outcome.settled == nil)
        client.connect(to: room)
        client.settle()
        #expect(tea.value == 1)
        #expect(coffee.value == 1)
        #expect(room.store.state == Shop(tea: 1, coffee: 1))
    }

    @Test func `reconnecting resumes every mirror where it was`() {
        let room = loop.open(Shop.room(from: Shop(log: Array(repeating: "tea", count: 50))))
        let keeper = TestClient(.bob, on: loop)
        _ = (follow(keeper, "log"), follow(keeper, "tea"))
        keeper.connect(to: room)
        keeper.settle()
        let (log, tea) = (follow(client, "log"), follow(client, "tea"))
        client.connect(to: room)
        client.settle()
        client.cut()
        room.dispatch(Write(text: "more"), DispatchOutcome())
        loop.endTurn()
        client.connect(to: room)
        client.speak()
        while client.hasUnderway { client.arrive() }
        loop.endTurn()
        #expect(
            client.wire?.messages.map(\.json).ops == [
                "welcome", "subscribed", "subscribed", "transaction", "patch", "current",
            ])
        client.settle()
        #expect(log.value?.array?.count == 51)
        #expect(tea.position == log.position)
    }

    @Test func `what was dispatched before the first connection isn't taken for old`() throws {
        var limits = SyncLimits()
        limits.clients = 1
        let room = loop.open(Shop.room, limits: limits)
        for name in 1...3 {
            let other = TestClient("other-\(name)-0123456789", on: loop)
            other.connect(to: room)
            other.settle()
            other.dispatch(Wait())
            other.settle()
        }
        let outcome = client.dispatch(AddTea(by: 1))
        client.connect(to: room)
        client.settle()
        #expect(try outcome.settled?.get().version == 4)
    }

    @Test func `a new history gets what is unsettled, with mirrors from the start`() throws {
        let old = loop.open(Shop.room, seed: 1)
        let log = follow(client, "log")
        client.connect(to: old)
        client.settle()
        client.dispatch(Write(text: "old"))
        client.settle()
        let outcome = client.dispatch(Write(text: "new"))
        client.cut()
        let new = loop.open(Shop.room, seed: 2)
        client.connect(to: new)
        client.settle()
        #expect(log.value == ["new"])
        #expect(try outcome.settled?.get() == Position(epoch: new.position.epoch, version: 1))
    }
}

private struct AddBeer: SyncAction {}
