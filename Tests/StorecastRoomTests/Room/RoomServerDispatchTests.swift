import Testing

@testable import StorecastRoom

/// What the server's own code dispatches: timers, webhooks, middleware, code with the store.
struct RoomServerDispatchTests {
    let loop = TestLoop()
    let journal = TestJournal()
    let room: Room<Shop>

    init() {
        room = loop.open(Shop.room, journal: journal)
    }

    private func dispatch(_ text: String) -> DispatchOutcome {
        let outcome = DispatchOutcome()
        room.dispatch(Write(text: text), outcome)
        loop.endTurn()
        return outcome
    }

    private func finish(_ end: TestJournal.End = .kept) {
        journal.finish(end)
        loop.endTurn()
    }

    @Test func `it is stamped as the server's, or as that of whom it speaks for`() {
        loop.advance(by: 3)
        room.dispatch(Sign(text: "a"), DispatchOutcome())
        room.dispatch(Sign(text: "b"), as: Identity("ada"), DispatchOutcome())
        room.store.dispatch(Sign(text: "c"))
        loop.endTurn()
        finish()
        #expect(room.store.state.log == ["a server 3.0", "b ada 3.0", "c server 3.0"])
        #expect(Set(room.store.state.notes.values.joined()).count == 3)
    }

    @Test func `what isn't among the room's actions is refused, and said where nobody asks`() {
        struct Unlisted: SyncAction {}
        let outcome = DispatchOutcome()
        room.dispatch(Unlisted(), outcome)
        room.store.dispatch(Unlisted())
        loop.endTurn()
        finish()
        let error = #expect(throws: Rejection.self) { try outcome.settled?.get() }
        #expect(error?.code == .unknownAction)
        #expect(loop.reports.count == 1)
        #expect(journal.entries.flatMap(\.actions).isEmpty)
        #expect(loop.open(Shop.room, journal: journal, seed: 2).phase == .ready)
    }

    @Test func `a check in order is asked about the one for whom it speaks`() {
        let room = loop.open(
            Shop.room.validate(Wait.self) { _, _, sender in
                guard sender.id == "ada" else { throw Rejection(.forbidden, "Ada only.") }
            })
        let (own, hers) = (DispatchOutcome(), DispatchOutcome())
        room.dispatch(Wait(), own)
        room.dispatch(Wait(), as: Identity("ada"), hers)
        loop.endTurn()
        #expect(throws: Rejection(.forbidden, "Ada only.")) { try own.settled?.get() }
        #expect(hers.settled == .success(Position(epoch: room.position.epoch, version: 1)))
    }

    @Test func `while the journal is unavailable it waits, in order, and counts once`() {
        let first = dispatch("1")
        let second = dispatch("2")
        finish(.refused)
        let third = dispatch("3")
        #expect(journal.pending.isEmpty)
        loop.advance(by: 1)
        loop.endTurn()
        finish(.refused)
        #expect([first, second, third].allSatisfy { $0.settled == nil })
        loop.advance(by: 1)
        loop.endTurn()
        finish()
        #expect(room.store.state.log == ["1", "2", "3"])
        #expect(
            [first, second, third].compactMap { try? $0.settled?.get().version } == [1, 2, 3])
        #expect(loop.timerCount == 0)
    }

    @Test func `clients go on while it waits, and it isn't taken for old behind them`() {
        var limits = SyncLimits()
        limits.clients = 1
        let room = loop.open(Shop.room, journal: journal, limits: limits)
        let outcome = DispatchOutcome()
        room.dispatch(Write(text: "own"), outcome)
        loop.endTurn()
        finish(.refused)
        for client in [String.ada, .bob] {
            Wire.greeted(room, on: loop, client: client)
                .dispatch(1, "Write", #"{"text":"\#(client.prefix(3))"}"#)
            finish()
        }
        loop.advance(by: 1)
        loop.endTurn()
        finish()
        #expect(room.store.state.log == ["ada", "bob", "own"])
        #expect(outcome.settled == .success(Position(epoch: "test-epoch", version: 3)))
    }

    @Test func `what middleware and subscribers dispatch later waits as well`() {
        room.store.dispatch(Write(text: "1"))
        loop.endTurn()
        finish(.refused)
        room.store.dispatch(Write(text: "2"))
        loop.advance(by: 1)
        loop.endTurn()
        finish()
        #expect(room.store.state.log == ["1", "2"])
    }

    @Test func `more than the room holds is refused at once, and said where nobody asks`() {
        var limits = SyncLimits()
        limits.waitingBytes = 2048
        let room = loop.open(Shop.room, journal: journal, limits: limits)
        let outcomes = (1...3).map { _ in DispatchOutcome() }
        for outcome in outcomes { room.dispatch(Wait(), outcome) }
        #expect(outcomes.map { $0.settled == nil } == [true, true, false])
        #expect(throws: Rejection.self) { try outcomes[2].settled?.get() }
        room.store.dispatch(Wait())
        #expect(loop.reports.count == 1)
        loop.endTurn()
        finish()
        #expect(room.position.version == 2)
        #expect(room.waitingBytes == 0)
    }

    @Test func `when the server ends nobody waits any longer, and what was settled stays`() {
        let first = dispatch("1")
        finish()
        let second = dispatch("2")
        room.abandon()
        #expect(first.settled == .success(Position(epoch: "test-epoch", version: 1)))
        #expect(throws: Rejection.self) { try second.settled?.get() }
        finish()
        #expect(throws: Rejection.self) { try second.settled?.get() }
    }

    @Test(arguments: ["server", "storecast.", "storecast.devtools"])
    func `nobody is let in as the server, or as a part of it`(id: String) {
        loop.authenticator = { .success(Identity($0 ?? "")) }
        let wire = Wire(to: room, on: loop)
        wire.say(hello(.ada, #","token":"\#(id)""#))
        #expect(wire.closeCode == .forbidden)
    }
}
