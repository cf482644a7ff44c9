import Storecast
import StorecastSync
import Testing

struct RoomDefinitionTests {
    private struct Tray: Codable, Equatable, Sendable {
        var cups: [String] = []
        var count = 0

        static let cups = Selection("cups", part: \Tray.cups)
        static let all = Selection("all", part: \Tray.self)
        static let room = RoomDefinition(
            state: Tray(), actions: [Pour.self], selections: [cups, all]
        ) { tray, action in
            guard let pour = action as? Pour else { return }
            tray.cups.append(pour.drink)
            tray.count += 1
        }
    }

    private struct Pour: SyncAction { var drink = "tea" }
    private struct Spill: SyncAction {}

    @Test func `a part of the state is changed by the room's reducer as the state is`() {
        var (cups, all) = (["milk"], Tray(cups: ["milk"], count: 1))
        Tray.room.reducer(of: Tray.cups)(&cups, Pour())
        Tray.room.reducer(of: Tray.all)(&all, Pour())
        #expect(cups == ["milk", "tea"])
        #expect(all == Tray(cups: ["milk", "tea"], count: 2))
    }

    @Test func `a reducer in ReSwift's form does it too`() {
        let room = RoomDefinition(
            reducer: { action, tray in
                var tray = tray ?? Tray(cups: ["water"])
                if action is Pour { tray.count += tray.cups.count }
                return tray
            }, actions: [Pour.self], selections: [Tray.cups, Tray.all])
        var all = Tray(cups: ["milk", "tea"])
        room.reducer(of: Tray.all)(&all, Pour())
        #expect(all.count == 2)
    }

    @Test func `the rest of the state is that of a new room`() {
        let room = RoomDefinition(
            state: Tray(count: 7), actions: [Pour.self], selections: [Tray.cups]
        ) { tray, action in
            if action is Pour { tray.cups.append("\(tray.count)") }
        }
        var cups: [String] = []
        let reduce = room.reducer(of: Tray.cups)
        reduce(&cups, Pour())
        reduce(&cups, Pour())
        #expect(cups == ["7", "7"])
    }

    @Test func `all that is to be done when a room opens is done, in the order that is said`() {
        let room = Tray.room
            .onOpen { store in store.dispatch(Pour(drink: "water")) }
            .onOpen { store in store.dispatch(Pour(drink: "milk")) }
            .revision("2")
            .onOpen { store in store.dispatch(Pour(drink: "tea")) }
        let store = room.makeStore()
        room.opening(store)
        #expect(store.state.cups == ["water", "milk", "tea"])
        // Of nothing that is said of a copy the definition itself knows.
        let other = Tray.room.makeStore()
        Tray.room.opening(other)
        #expect(other.state.cups.isEmpty)
    }

    @Test func `a rule or a check of an action that was forgotten ends the program at its start`()
        async throws
    {
        let rule = try await #require(
            processExitsWith: .failure, observing: [\.standardErrorContent]
        ) {
            _ = Tray.room.allow(Spill.self, .open)
        }
        let check = try await #require(
            processExitsWith: .failure, observing: [\.standardErrorContent]
        ) {
            _ = Tray.room.validate(Spill.self) { _, _, _ in }
        }
        for said in [rule, check] {
            #expect(
                String(decoding: said.standardErrorContent, as: UTF8.self).contains(
                    "'Spill' isn't among the room's actions. "
                        + "Add Spill.self to `actions` of its definition."))
        }
    }
}
