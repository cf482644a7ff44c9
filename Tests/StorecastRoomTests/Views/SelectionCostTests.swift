import StorecastSync
import StorecastTables
import StorecastWire
import Testing

@testable import StorecastRoom

/// What a room knows of what its selections cost.
struct SelectionCostTests {
    private struct Rename: SyncAction {
        var id: String
        var name: String
    }

    let loop = TestLoop()

    /// A room of items in two groups. Each of its closures takes its time, by the loop's clock.
    private var room: Room<Shelf> {
        nonisolated(unsafe) let loop = loop
        let items = (0..<10).map {
            Item(id: "\($0)", group: "\($0 % 2)", rank: $0, due: nil, name: "")
        }
        return loop.open(
            RoomDefinition(
                state: Shelf(items: Table(items)), actions: [Rename.self],
                selections: [
                    Selection("odd") { (shelf: Shelf) in
                        loop.advance(by: 0.003)
                        return shelf.items.rows.count { $0.rank % 2 == 1 }
                    },
                    Selection("least") { (shelf: Shelf, least: Int) in
                        loop.advance(by: 0.001)
                        return shelf.items.rows.filter { $0.rank >= least }.map(\.name)
                    },
                    Selection("note") { (shelf: Shelf) in shelf.note }.reading(\.note),
                    Selection("item", row: \Shelf.items),
                    Selection("page", rows: \Shelf.items) { (group: String) in
                        RowQuery().where(\.group, is: group)
                    },
                    Selection("unused") { (shelf: Shelf) in shelf.note },
                ]
            ) { shelf, action in
                guard let rename = action as? Rename else { return }
                shelf.items[id: rename.id]?.name = rename.name
            }, journal: TestJournal(isImmediate: true))
    }

    private func subscribe(_ wire: Wire, _ ref: Int, _ select: String, _ params: String = "{}") {
        wire.say(
            #"{"op":"subscribe","ref":\#(ref),"select":"\#(select)","params":\#(params)}"#)
    }

    private func costs(_ room: Room<Shelf>) -> [String: SelectionCost] {
        Dictionary(uniqueKeysWithValues: room.selectionCosts.map { ($0.name.string, $0) })
    }

    @Test func `a closure that looks at every row is named, and what rows keep isn't asked`()
        throws
    {
        let room = room
        let wire = Wire.greeted(room, on: loop)
        subscribe(wire, 1, "odd")
        for least in 2...3 { subscribe(wire, least, "least", "\(least)") }
        subscribe(wire, 4, "note")
        subscribe(wire, 5, "item", #""2""#)
        for group in 0...1 { subscribe(wire, 6 + group, "page", #""\#(group)""#) }
        _ = wire.hear()
        for turn in 1...40 {
            room.dispatch(Rename(id: "1", name: "\(turn)"), DispatchOutcome())
            loop.endTurn()
        }
        let costs = costs(room)
        #expect(costs.keys.sorted() == ["item", "least", "note", "odd", "page"])
        func expect(
            _ name: String, _ way: SelectionWay, groups: Int, _ evaluations: Int, _ changes: Int
        ) throws {
            let cost = try #require(costs[name])
            #expect(cost.way == way && cost.groups == groups, "\(name)")
            #expect(cost.evaluations == evaluations && cost.changes == changes, "\(name)")
        }
        try expect("odd", .closure, groups: 1, 40, 0)
        // Neither of the two shows what was renamed.
        try expect("least", .closure, groups: 2, 80, 0)
        try expect("note", .declaredReads, groups: 1, 0, 0)
        try expect("item", .keyed, groups: 1, 0, 0)
        // One of the two pages.
        try expect("page", .rows, groups: 2, 40, 40)
        #expect(costs["odd"]?.mean == .milliseconds(3) && costs["least"]?.mean == .milliseconds(1))
        #expect(try abs(#require(costs["odd"]).share - 0.6) < 0.001)
        #expect(try abs(#require(costs["least"]).share - 0.4) < 0.001)
        #expect(costs["page"]?.share == 0)
    }

    @Test func `a message is counted once, however many clients get it`() throws {
        let room = room
        let wires = [String.ada, .bob].map { Wire.greeted(room, on: loop, client: $0) }
        for wire in wires {
            subscribe(wire, 1, "item", #""2""#)
            _ = wire.hear()
        }
        let before = try #require(costs(room)["item"]?.bytes)
        #expect(before > 0)
        room.dispatch(Rename(id: "2", name: "other"), DispatchOutcome())
        loop.endTurn()
        let heard = try wires.map { wire in
            // Smaller than a patch, here.
            try #require(wire.hear().first("snapshot")).bytes.count
        }
        let bytes = try #require(costs(room)["item"]?.bytes)
        #expect(heard[0] == heard[1])
        #expect(bytes - before >= heard[0] && bytes - before < 2 * heard[0])
        // What was in use is still told of.
        for wire in wires { wire.session.disconnected() }
        loop.endTurn()
        #expect(costs(room)["item"]?.groups == 0 && costs(room)["item"]?.bytes == bytes)
    }

    @Test func `one turn of sixteen is timed`() {
        var (timer, readings) = (SelectionTimer(), 0)
        let meter = SelectionMeter()
        func now() -> Duration {
            readings += 1
            return .seconds(readings)
        }
        for _ in 0..<64 {
            timer.begin(at: now())
            timer.note(2, of: meter, at: now())
            timer.skip(to: now())
            timer.note(1, of: meter, at: now())
            timer.end(at: now())
        }
        #expect(readings == 4 * 5 && timer.total == .seconds(4 * 4))
        let cost = SelectionCost("a", .rows, groups: 0, meter, of: timer.total)
        #expect(cost.share == 0.5 && cost.mean == .seconds(2) / 3)
    }
}
