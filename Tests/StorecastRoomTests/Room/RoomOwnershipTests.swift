import Testing

@testable import StorecastMirror
@testable import StorecastRoom

/// A room that is given up lets go of everything, whatever it waits for.
struct RoomOwnershipTests {
    private let loop = TestLoop()

    private final class Token: Sendable {}

    private func definition(holding token: Token) -> RoomDefinition<Shop> {
        Shop.room.validate(Write.self) { _, _, _ in withExtendedLifetime(token) {} }
            .onOpen { store in withExtendedLifetime((token, store)) {} }
            .revertible()
            .lifecycle()
    }

    @Test func `a room that was used is freed with its sessions`() {
        func use() -> [() -> Bool] {
            let token = Token()
            let room = loop.open(definition(holding: token))
            let client = TestClient(on: loop)
            client.connect(to: room)
            client.settle()
            client.dispatch(Write(text: "a"))
            client.settle()
            room.dispatch(RevertTo<Shop>(version: 0), DispatchOutcome())
            client.settle()
            #expect(room.position.version > 1)
            client.cut()
            loop.endTurn()
            return [{ [weak room] in room == nil }, { [weak token] in token == nil }]
        }
        let checks = use()
        loop.forgetTimers()
        for isGone in checks { #expect(isGone()) }
    }

    @Test func `who waits for a room that is given up while it loads is told so`() {
        let journal = TestJournal()
        journal.opensRooms = false
        let outcome = DispatchOutcome()
        var phases: [RoomPhase] = []
        func give() -> () -> Bool {
            let room = loop.open(Shop.room, journal: journal)
            room.dispatch(Write(text: "a"), outcome)
            room.whenLoaded { phases.append($0) }
            room.abandon()
            return { [weak room] in room == nil }
        }
        #expect(give()())
        #expect(phases.count == 1 && phases.first != .ready)
        #expect(throws: Rejection.self) { try outcome.settled?.get() }
        #expect(outcome.settled != nil)
    }

    @Test func `a room in memory where all was rejected can be opened again`() {
        let journal = MemoryJournal()
        let definition = Shop.room.validate(Write.self) { _, _, _ in
            throw Rejection(.invalid, "No.")
        }
        let room = loop.open(definition, journal: journal)
        let client = TestClient(on: loop)
        client.connect(to: room)
        let outcome = client.dispatch(Write(text: "a"))
        client.settle()
        #expect(throws: Rejection(.invalid, "No.")) { try outcome.settled?.get() }
        client.cut()
        // The server forgets such a room.
        #expect(room.isUntouched)
        let again = loop.open(definition, journal: journal)
        #expect(again.isReady)
        #expect(again.position.epoch != room.position.epoch)
    }
}
