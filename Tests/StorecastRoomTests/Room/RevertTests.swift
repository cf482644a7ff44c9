@testable import StorecastMirror
@testable import StorecastRoom
import Testing

/// Rooms that go back to what they were.
struct RevertTests {
    let loop = TestLoop()
    let journal = ArchiveJournal()
    let definition = Shop.room.revertible { shop, then in
        // What isn't to be undone.
        let notes = shop.notes
        shop = then
        shop.notes = notes
    }

    private func open(
        _ definition: RoomDefinition<Shop>, snapshots: Int = 10_000, kept: Int? = nil
    ) -> Room<Shop> {
        var limits = SyncLimits()
        limits.snapshots.entries = snapshots
        limits.snapshots.kept = kept
        return loop.open(definition, journal: journal, limits: limits)
    }

    @discardableResult
    private func dispatch(_ actions: any SyncAction..., in room: Room<Shop>) -> Result<
        Position, Rejection
    >? {
        var last: DispatchOutcome?
        for action in actions {
            let outcome = DispatchOutcome()
            room.dispatch(action, outcome)
            loop.endTurn()
            last = outcome
        }
        return last?.settled
    }

    @Test func `a revert is one more action, and is reverted like any other`() throws {
        let room = open(definition)
        dispatch(Write(text: "a"), Write(text: "b"), Sign(text: "c"), AddTea(by: 3), in: room)
        let notes = room.store.state.notes
        #expect(notes.count == 1)
        #expect(dispatch(RevertTo<Shop>(version: 1), in: room) == .success(room.position))
        #expect(room.position.version == 5)
        #expect(room.store.state == Shop(log: ["a"], notes: notes))
        dispatch(RevertTo<Shop>(version: 4), in: room)
        #expect(room.store.state.log.count == 3)
        #expect(room.store.state.tea == 3)
        dispatch(RevertTo<Shop>(version: 0), in: room)
        #expect(room.store.state == Shop(notes: notes))
        #expect(room.position.version == 7)
        #expect(journal.entries.count == 7)
        // The entries carry what they need: nothing is looked up again.
        journal.entries[0].actions = []
        journal.entries[0].rejection = Rejection(.invalid, "Changed.")
        let again = loop.open(definition, journal: journal, seed: 2)
        #expect(again.store.state == room.store.state)
    }

    @Test func `the state of then is found through the newest snapshot that isn't too new`() {
        let room = open(definition, snapshots: 10)
        for number in 1...35 { dispatch(Write(text: "\(number)"), in: room) }
        let before = journal.delivered
        dispatch(RevertTo<Shop>(version: 24), in: room)
        #expect(room.store.state.log.count == 24)
        // Snapshots are at 10, 20, 30; pages have seven entries.
        #expect(journal.delivered - before <= 15)
        dispatch(RevertTo<Shop>(version: 30), in: room)
        #expect(room.store.state.log.last == "30")
    }

    @Test func `a version that isn't reached, or was forgotten, is a final rejection`() {
        let room = open(definition)
        dispatch(Write(text: "a"), in: room)
        #expect(
            dispatch(RevertTo<Shop>(version: 2), in: room)
                == .failure(
                    Rejection(
                        .invalid, "The room hasn't come to this version yet.",
                        detail: "It is at 1.")))
        let forgetful = loop.open(definition)
        dispatch(Write(text: "a"), Write(text: "b"), in: forgetful)
        #expect(
            dispatch(RevertTo<Shop>(version: 1), in: forgetful)
                == .failure(
                    Rejection(
                        .invalid, "The room's state at this version isn't known any more.")))
    }

    @Test func `what the oldest snapshot holds is the oldest version that is known`() throws {
        let room = open(definition, snapshots: 10, kept: 1)
        for number in 1...25 { dispatch(Write(text: "\(number)"), in: room) }
        let oldest = try #require(journal.snapshots.first).version
        try #require(oldest > 0 && journal.truncated == oldest)
        #expect(
            dispatch(RevertTo<Shop>(version: oldest - 1), in: room)
                == .failure(
                    Rejection(
                        .invalid, "The room's state at this version isn't known any more.")))
        #expect(dispatch(RevertTo<Shop>(version: oldest), in: room) == .success(room.position))
        #expect(room.store.state.log.count == Int(oldest))
    }

    @Test func `clients may not revert unless the definition says so`() {
        let ada = Wire.greeted(open(definition), on: loop)
        ada.dispatch(1, "storecast.revert", #"{"version":0}"#)
        #expect(ada.hear().first("reject")?.code == "forbidden")
        let bob = Wire.greeted(open(Shop.room), on: loop, client: .bob)
        bob.dispatch(1, "storecast.revert", #"{"version":0}"#)
        #expect(bob.hear().first("reject")?.code == "unknown-action")
    }

    @Test func `a client that may gets it, and what it says of the state isn't taken`() {
        let room = open(definition.authorize(RevertTo<Shop>.self) { _, _ in })
        let ada = Wire.greeted(room, on: loop)
        ada.dispatch(1, "Write", #"{"text":"a"}"#)
        ada.dispatch(2, "Write", #"{"text":"b"}"#)
        ada.dispatch(
            3, "storecast.revert",
            #"{"version":1,"state":{"tea":9,"coffee":9,"log":[],"notes":{}}}"#)
        #expect(room.store.state == Shop(log: ["a"]))
        #expect(ada.hear().last?["acked"] == 3)
    }

    @Test func `a client comes again by itself while the state is being looked up`() {
        journal.isSlow = true
        let room = open(definition.authorize(RevertTo<Shop>.self) { _, _ in })
        let client = TestClient(on: loop)
        client.connect(to: room)
        client.dispatch(Write(text: "a"))
        client.dispatch(Write(text: "b"))
        client.settle()
        let revert = client.dispatch(RevertTo<Shop>(version: 1))
        let next = client.dispatch(Write(text: "c"))
        client.settle()
        #expect(revert.settled == nil)
        #expect(client.holds == [.milliseconds(100)])
        journal.answer()
        loop.advance(by: 0.1)
        client.settle()
        #expect(room.store.state.log == ["a", "c"])
        #expect((try? revert.settled?.get()) != nil)
        #expect((try? next.settled?.get())?.version == 4)
        #expect(room.lookup == nil)
    }

    @Test func `who asks for another version meanwhile waits for its own`() {
        let room = open(definition.authorize(RevertTo<Shop>.self) { _, _ in })
        dispatch(Write(text: "a"), Write(text: "b"), in: room)
        journal.isSlow = true
        let wires = [String.ada, .bob].map { Wire.greeted(room, on: loop, client: $0) }
        func ask(_ number: Int) -> [String] {
            wires[number].dispatch(1, "storecast.revert", #"{"version":\#(1 - number)}"#)
            return wires[number].hear().ops
        }
        #expect(ask(0) == ["reject"] && ask(1) == ["reject"])
        journal.answer()
        #expect(ask(1) == ["reject"])
        #expect(ask(0) == ["transaction"])
        #expect(room.store.state.log == ["a"])
        // As it was at first is known without looking.
        #expect(ask(1) == ["transaction"])
        #expect(room.store.state.log == [])
    }

    @Test(arguments: [true, false])
    func `a state that nobody comes for is let go, whether it is still known or not`(
        isKnown: Bool
    ) {
        let room = open(definition.authorize(RevertTo<Shop>.self) { _, _ in })
        dispatch(Write(text: "a"), in: room)
        if !isKnown { journal.truncate("/", through: 1) { _ in } }
        journal.isSlow = true
        let ada = Wire.greeted(room, on: loop)
        ada.dispatch(1, "storecast.revert", #"{"version":1}"#)
        #expect(ada.hear().first("reject")?["retryable"] == true)
        ada.session.disconnected()
        journal.answer()
        #expect(room.lookup != nil)
        loop.advance(by: 2)
        #expect(room.lookup == nil)
        #expect(room.isIdle)
        // Others can ask for another one.
        let bob = Wire.greeted(room, on: loop, client: .bob)
        bob.dispatch(1, "storecast.revert", #"{"version":0}"#)
        #expect(bob.hear().ops == ["transaction"])
    }

    @Test func `a state that was found is kept for two seconds, also if it was found before`() {
        let room = open(definition.authorize(RevertTo<Shop>.self) { _, _ in })
        dispatch(Write(text: "a"), Write(text: "b"), in: room)
        journal.isSlow = true
        let ada = Wire.greeted(room, on: loop)
        func ask(_ number: Int) -> [String] {
            ada.dispatch(number, "storecast.revert", #"{"version":1}"#)
            return ada.hear().ops
        }
        #expect(ask(1) == ["reject"])
        journal.answer()
        #expect(ask(1) == ["transaction"])
        loop.advance(by: 1.5)
        #expect(ask(2) == ["reject"])
        journal.answer()
        // The time of the first one is over.
        loop.advance(by: 1)
        #expect(ask(2) == ["transaction"])
    }

    @Test func `a revert of an older schema is read as its snapshots are`() throws {
        let record = JournalRecord(
            client: .ada, seq: 1, base: 0, settled: 0, sender: .anonymous,
            time: Timestamp(secondsSince1970: 0), seed: 0,
            actions: [
                .init(
                    type: "storecast.revert",
                    payload: Array(#"{"version":0,"state":{"chai":5,"log":["x"]}}"#.utf8))
            ], rejection: nil)
        let replay = RoomReplay(
            definition.upcastState(from: 1) { state in
                state["tea"] = state["chai"]
                state["chai"] = nil
            })
        try replay.reduce(record, at: 1)
        #expect(replay.state == Shop(tea: 5, log: ["x"]))
    }
}
