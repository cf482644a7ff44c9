import StorecastTables
import Testing

struct OrderedTableTests {
    static func table(_ ids: String...) -> OrderedTable<Card> {
        OrderedTable(ids.map { Card(id: $0, title: $0.uppercased()) })
    }

    static func ids(_ table: OrderedTable<Card>) -> String { table.map(\.id).joined() }

    @Test func `rows come where they are put`() {
        var table = OrderedTable<Card>()
        #expect(table.append(Card(id: "a")) == nil)
        #expect(table.append(Card(id: "b")) == nil)
        table.insert(Card(id: "c"), at: 0)
        table.insert(Card(id: "d"), at: 3)
        #expect(Self.ids(table) == "cabd")
        #expect(table.insert(Card(id: "e"), before: "a") && table.insert(Card(id: "f"), after: "a"))
        #expect(
            !table.insert(Card(id: "g"), before: "x") && !table.insert(Card(id: "g"), after: "x"))
        #expect(Self.ids(table) == "ceafbd")
        #expect(table[0].id == "c" && table[5].id == "d" && table.last?.id == "d")
        #expect(Array(table.ids) == ["c", "e", "a", "f", "b", "d"])
        #expect(table.index(of: "f") == 3 && table.index(of: "x") == nil)
        #expect(table.contains(id: "f") && !table.contains(id: "x"))
        #expect(table.fault == nil)
    }

    @Test func `a row that is there leaves its old place`() {
        var table = Self.table("a", "b", "c")
        #expect(table.append(Card(id: "a", title: "new"))?.title == "A")
        #expect(table.insert(Card(id: "c", title: "new"), at: 0)?.title == "C")
        #expect(table.map(\.title) == ["new", "B", "new"] && Self.ids(table) == "cba")
        #expect(table.insert(Card(id: "c"), after: "a") && Self.ids(table) == "bac")
        #expect(table.insert(Card(id: "a", title: "own"), before: "a") && Self.ids(table) == "bac")
        #expect(table[id: "a"]?.title == "own")
        #expect(Self.ids(Self.table("a", "b", "a", "c")) == "bac")
        #expect(table.fault == nil)
    }

    @Test func `rows move`() {
        var table = Self.table("a", "b", "c", "d")
        #expect(table.move(id: "a", to: 3) && Self.ids(table) == "bcda")
        #expect(table.move(id: "d", to: 0) && Self.ids(table) == "dbca")
        #expect(table.move(id: "a", before: "b") && Self.ids(table) == "dabc")
        #expect(table.move(id: "d", before: "c") && Self.ids(table) == "abdc")
        #expect(table.move(id: "a", after: "d") && Self.ids(table) == "bdac")
        #expect(table.move(id: "c", after: "b") && Self.ids(table) == "bcda")
        let old = table
        #expect(table.move(id: "c", to: 1) && table.move(id: "c", before: "c"))
        #expect(table.move(id: "c", before: "d") && table.move(id: "c", after: "b"))
        #expect(!table.move(id: "x", to: 0) && !table.move(id: "c", after: "x"))
        #expect(table == old)
    }

    /// Also where it is already, and beside itself: then it stays.
    @Test func `every row moves beside every other, and to every place, as in an array`() {
        let ids = ["a", "b", "c", "d"]
        for id in ids {
            let others = ids.filter { $0 != id }
            for other in ids {
                let place = others.firstIndex(of: other)
                for isAfter in [false, true] {
                    var (expected, table) = (others, Self.table("a", "b", "c", "d"))
                    expected.insert(
                        id, at: place.map { isAfter ? $0 + 1 : $0 } ?? ids.firstIndex(of: id)!)
                    #expect(
                        isAfter
                            ? table.move(id: id, after: other) : table.move(id: id, before: other))
                    #expect(Self.ids(table) == expected.joined(), "\(id), \(other), \(isAfter)")
                }
            }
            for place in ids.indices {
                var (expected, table) = (others, Self.table("a", "b", "c", "d"))
                expected.insert(id, at: place)
                #expect(table.move(id: id, to: place) && Self.ids(table) == expected.joined())
            }
        }
    }

    @Test func `rows are set, changed and removed by id`() {
        var table = Self.table("a", "b", "c")
        table[id: "b"]?.title += "!"
        table[id: "d"] = Card(id: "d", title: "D")
        table[id: "c"] = Card(id: "c", title: "new")
        table[id: "x"]?.title = "nobody"
        table[id: "a"] = nil
        #expect(table.map(\.title) == ["B!", "new", "D"])
        func change(_ card: inout Card?, _ new: Card?) { card = new }
        change(&table[id: "c"], nil)
        change(&table[id: "e"], Card(id: "e", title: "E"))
        change(&table[id: "x"], nil)
        #expect(table.map(\.title) == ["B!", "D", "E"] && table.fault == nil)
        #expect(table.remove(id: "d")?.title == "D" && table.remove(id: "d") == nil)
        #expect(table.remove(at: 0).title == "B!")
        #expect(Self.ids(table) == "e")
        table.removeAll()
        #expect(table.isEmpty && table.count == 0 && table == OrderedTable())
    }

    @Test(arguments: 0..<8 as Range<UInt64>)
    func `an ordered table does what an array does, and old versions stay as they were`(
        seed: UInt64
    ) {
        var random = SeededGenerator(seed: seed)
        var (table, model): (OrderedTable<Card>, [Card]) = (OrderedTable(), [])
        var versions = [(table, model)]
        for step in 0..<1_500 {
            let card = Card(id: "\(Int.random(in: 0..<150, using: &random))", title: "\(step)")
            let old = model.firstIndex { $0.id == card.id }
            // In one place more often than elsewhere.
            func place(_ count: Int) -> Int {
                Bool.random(using: &random) ? count / 2 : Int.random(in: 0...count, using: &random)
            }
            switch Int.random(in: 0..<6, using: &random) {
            case 0:
                if let old { model.remove(at: old) }
                model.append(card)
                table.append(card)
            case 1, 2:
                if let old { model.remove(at: old) }
                let position = place(model.count)
                model.insert(card, at: position)
                table.insert(card, at: position)
            case 3:
                guard let old else { continue }
                let position = place(model.count - 1)
                model.insert(model.remove(at: old), at: position)
                let hasMoved = table.move(id: card.id, to: position)
                #expect(hasMoved)
            case 4:
                if let old { model.remove(at: old) }
                table.remove(id: card.id)
            default:
                if let old { model[old].title = card.title }
                table[id: card.id]?.title = card.title
            }
            #expect(table.count == model.count)
            if step % 25 == 0 { versions.append((table, model)) }
        }
        for (table, model) in versions {
            #expect(Array(table) == model, "seed \(seed)")
            #expect(table.indices.allSatisfy { table[$0] == model[$0] })
            #expect(model.indices.allSatisfy { table.index(of: model[$0].id) == $0 })
            #expect(table.fault == nil, "seed \(seed)")
        }
        for (older, newer) in zip(versions, versions.dropFirst()) {
            Self.checkChanges(from: older, to: newer)
            Self.checkChanges(from: newer, to: older)
        }
    }

    typealias Version = (table: OrderedTable<Card>, model: [Card])

    static func checkChanges(from old: Version, to new: Version) {
        let changes = new.table.changes(from: old.table)
        let told = Dictionary(uniqueKeysWithValues: changes.map { ($0.id, $0) })
        for id in Set((old.model + new.model).map(\.id)) {
            let (before, after) = (
                old.model.first { $0.id == id }, new.model.first { $0.id == id }
            )
            let (rank, newRank) = (old.table.rank(of: id), new.table.rank(of: id))
            #expect((told[id] != nil) == (before != after || rank != newRank))
            guard let change = told[id] else { continue }
            #expect(change.old == before && change.new == after)
            #expect(change.oldRank == rank && change.newRank == newRank)
            #expect(change.isMove == (before != nil && after != nil && rank != newRank))
        }
        // Who applies them to the old order has the new one.
        var ranks = old.model.map { (id: $0.id, rank: old.table.rank(of: $0.id)!) }
        for change in changes {
            ranks.removeAll { $0.id == change.id }
            if let rank = change.newRank { ranks.append((change.id, rank)) }
        }
        #expect(ranks.sorted { $0.rank < $1.rank }.map(\.id) == new.model.map(\.id))
    }

    @Test func `a move is a change of one row`() {
        var table = OrderedTable((0..<1_000).map { Card(id: "\($0)") })
        let old = table
        table.move(id: "10", to: 900)
        #expect(table.changes(from: old).map { ($0.id) } == ["10"])
        #expect(table.changes(from: old).allSatisfy { $0.isMove && $0.old == $0.new })
        table[id: "20"]?.title = "new"
        #expect(table.changes(from: old).map(\.isMove) == [true, false])
        #expect(table.rankedAnewForTesting == 0)
    }

    @Test func `a row is changed without a copy of it, if no other version has it`() {
        var table = OrderedTable((0..<500).map { TableTests.Heavy(id: $0) })
        for id in [0, 250, 499, 250] { table[id: id]?.change() }
        #expect(table.allSatisfy { $0.copies == 0 })
        let old = table
        table[id: 250]?.change()
        table[id: 250]?.change()
        #expect(table[250].copies == 1 && old[250].copies == 0)
    }

    @Test func `removing by a test keeps the order of the rest`() {
        var table = OrderedTable((0..<100).map { Card(id: "\($0)") })
        table.removeAll { $0.id.count == 1 || $0.id.hasSuffix("0") }
        #expect(table.map(\.id) == (10..<100).filter { $0 % 10 > 0 }.map { "\($0)" })
        #expect(table.fault == nil)
    }

    @Test func `equal tables have the same rows and ranks`() {
        let one = Self.table("a", "b", "c")
        #expect(
            one == Self.table("a", "b", "c") && one.hashValue == Self.table("a", "b", "c").hashValue
        )
        var other = Self.table("b", "a", "c")
        #expect(one != other)
        other.move(id: "a", to: 0)
        #expect(one != other && one.elementsEqual(other))
        #expect("\(one)" == "\(Array(one))")
        #expect(Mirror(reflecting: one).children.count == 3)
    }

    @Test func `ids that look alike are two rows`() {
        var table = Self.table("\u{e9}", "e\u{301}")
        table.move(id: "e\u{301}", to: 0)
        #expect(table.map(\.id.utf8.count) == [3, 2])
        #expect(table.remove(id: "\u{e9}") != nil && table.count == 1)
    }
}
