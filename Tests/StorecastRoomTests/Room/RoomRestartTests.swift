import Testing

@testable import StorecastMirror
@testable import StorecastRoom

/// Servers that die with something under way, and those that go on from their journal.
struct RoomRestartTests {
    let loop = TestLoop()
    let journal = TestJournal()

    private func open(_ limits: SyncLimits = SyncLimits(), seed: UInt64 = 1) -> Room<Shop> {
        loop.open(Shop.room, journal: journal, limits: limits, seed: seed)
    }

    /// Says hello as Ada; returns what welcome says.
    private func greet(_ room: Room<Shop>, _ rest: String = "") -> (wire: Wire, welcome: JSON?) {
        let wire = Wire(to: room, on: loop)
        wire.say(hello(.ada, rest))
        return (wire, wire.hear().first("welcome"))
    }

    private func finish(_ end: TestJournal.End = .kept) {
        journal.finish(end)
        loop.endTurn()
    }

    @Test func `what was kept but never acked is settled by the next welcome`() {
        let (ada, _) = greet(open())
        ada.dispatch(1, "AddTea", #"{"by":1}"#)
        finish(.unheard(kept: true))
        #expect(ada.hear().isEmpty)
        let room = open(seed: 2)
        let (again, welcome) = greet(room)
        #expect(welcome?["lastSeq"] == 1)
        #expect(welcome?.v == 1)
        again.dispatch(2, "AddTea", #"{"by":1}"#)
        finish()
        #expect(room.store.state.tea == 2)
    }

    @Test func `what wasn't kept comes again and is reduced once`() {
        let (ada, _) = greet(open())
        ada.dispatch(1, "AddTea", #"{"by":1}"#)
        finish(.unheard(kept: false))
        let room = open(seed: 2)
        let (again, welcome) = greet(room)
        #expect(welcome?["lastSeq"] == 0)
        again.dispatch(1, "AddTea", #"{"by":1}"#)
        finish()
        #expect(room.store.state.tea == 1)
        #expect(again.hear().map { $0["acked"] } == [1])
    }

    @Test(arguments: [true, false])
    func `a restart after an unknown outcome is as good as an answer`(_ isKept: Bool) {
        let (ada, _) = greet(open())
        ada.dispatch(1, "AddTea", #"{"by":1}"#)
        finish(.unknown(kept: isKept))
        let room = open(seed: 2)
        let (again, welcome) = greet(room)
        #expect(welcome?["lastSeq"] == (isKept ? 1 : 0))
        if !isKept {
            again.dispatch(1, "AddTea", #"{"by":1}"#)
            finish()
        }
        #expect(room.store.state.tea == 1)
    }

    @Test func `a final reject is the outcome after a restart too, and ever after`() throws {
        let (ada, _) = greet(open())
        ada.dispatch(1, "Nope")
        finish(.unheard(kept: true))
        let (_, welcome) = greet(open(seed: 2))
        #expect(welcome?["lastSeq"] == 1)
        #expect(welcome?["rejected"]?[0]?["code"] == "unknown-action")
        #expect(welcome?.v == 0)
    }

    @Test func `a batch that the log has twice, with others' entries between, counts once`() {
        let room = open()
        let (ada, _) = greet(room)
        ada.say(
            "[\(dispatchFrame(1, "AddTea", #"{"by":1}"#)),\(dispatchFrame(2, "Nope")),"
                + "\(dispatchFrame(3, "AddTea", #"{"by":10}"#))]")
        finish()
        let bob = Wire.greeted(room, on: loop, client: .bob)
        bob.dispatch(1, "Write", #"{"text":"bob"}"#)
        finish()
        ada.dispatch(4, "AddTea", #"{"by":100}"#)
        finish()
        journal.entries.insert(contentsOf: journal.entries[0..<3], at: 4)
        journal.entries.append(journal.entries[3])
        let again = open(seed: 2)
        #expect(again.store.state == Shop(tea: 111, log: ["bob"]))
        #expect(again.store.state == room.store.state)
        #expect(again.position == room.position)
        #expect(again.ledger.contents == room.ledger.contents)
    }

    @Test func `what middleware made of a dispatch is read as it was made, not made again`() {
        let definition = Shop.room.onOpen { store in
            store.middleware = [
                { dispatch, _ in
                    { next in
                        { action in
                            next(action)
                            if action is AddTea { dispatch(Sign(text: "tea")) }
                        }
                    }
                }
            ]
        }
        let old = loop.open(definition, journal: journal)
        let (ada, _) = greet(old)
        ada.dispatch(1, "AddTea", #"{"by":1}"#)
        finish()
        #expect(journal.entries.map(\.actions.count) == [2])
        loop.advance(by: 60)
        let room = loop.open(definition, journal: journal, seed: 2)
        #expect(room.store.state.log == ["tea  0.0"])
        #expect(room.store.state == old.store.state)
        #expect(room.position.version == 1)
    }

    @Test func `the server's own dispatches count anew, under another id, after a restart`() {
        let old = open()
        old.dispatch(AddTea(by: 1), DispatchOutcome())
        loop.endTurn()
        finish(.unheard(kept: true))
        let room = open(seed: 2)
        let outcome = DispatchOutcome()
        room.dispatch(AddTea(by: 10), outcome)
        loop.endTurn()
        finish()
        #expect(room.store.state.tea == 11)
        #expect(outcome.settled == .success(Position(epoch: "test-epoch", version: 2)))
        #expect(journal.entries.map(\.seq) == [1, 1])
        #expect(Set(journal.entries.map(\.client)).count == 2)
    }

    @Test func `a client id belongs to its identity after a restart too`() {
        loop.authenticator = { .success(Identity($0 ?? "")) }
        let (ada, _) = greet(open(), #","token":"ada""#)
        ada.dispatch(1, "Wait")
        finish()
        let room = open(seed: 2)
        let bob = Wire(to: room, on: loop)
        bob.say(hello(.ada, #","token":"bob""#))
        #expect(bob.closeCode == .forbidden)
    }

    @Test func `a journal that may have lost its end begins anew, and so do its clients`() {
        let old = open()
        let (ada, _) = greet(old)
        ada.say(#"{"op":"subscribe","ref":1,"select":"tea"}"#)
        let tag = ada.hear().first("subscribed")?["tag"]?.string ?? ""
        ada.dispatch(1, "AddTea", #"{"by":1}"#)
        finish()
        let room = loop.open(Shop.room, seed: 7)
        #expect(room.position.epoch != old.position.epoch)
        let (again, welcome) = greet(
            room, #","settled":1,"seen":{"epoch":"test-epoch","v":1}"#)
        #expect(welcome?.v == 0)
        again.say(
            #"{"op":"subscribe","ref":1,"select":"tea","at":{"epoch":"test-epoch","v":1,"#
                + #""tag":"\#(tag)"}}"#)
        #expect(again.hear().ops == ["subscribed", "snapshot"])
        again.dispatch(2, "AddTea", #"{"by":5}"#)
        #expect(room.store.state.tea == 5)
    }

    @Test(arguments: 0..<40 as Range<UInt64>)
    func `replay forgets, rejects and remembers what the running room did`(_ seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        var limits = SyncLimits()
        limits.clients = 1 + random.below(4)
        limits.window = 1 + random.below(5)
        let room = open(limits)
        let clients = (0..<6).map { TestClient("client-\($0)-0123456789", on: loop) }
        for _ in 0..<150 {
            let client = clients[random.below(clients.count)]
            if client.wire == nil { client.connect(to: room) }
            switch random.below(8) {
            case 0: client.cut()
            case 1: client.dispatch(Beer())
            case 2: finish(.unknown(kept: random.below(2) == 0))
            case 3: finish(.refused)
            case 4: loop.advance(by: 1)
            default: client.dispatch(AddTea(by: 1))
            }
            client.settle()
            finish()
        }
        // Who was forgotten is in the log: another limit changes nothing of it.
        limits.clients = 1 + random.below(100)
        let again = open(limits, seed: 2)
        #expect(again.store.state == room.store.state)
        #expect(again.position == room.position)
        #expect(again.ledger.contents == room.ledger.contents)
    }
}

/// An action that no room takes.
private struct Beer: SyncAction {}
