import StorecastTables
import Testing

struct TableTests {
    static let cards = ["b", "a", "c"].map { Card(id: $0, title: $0.uppercased()) }

    @Test func `rows are found by id and walked in the order of their ids`() {
        var table = Table(Self.cards)
        #expect(table.count == 3 && !table.isEmpty && Table<Card>().isEmpty)
        #expect(table.rows.map(\.id) == ["a", "b", "c"])
        #expect(Array(table.ids) == ["a", "b", "c"])
        #expect(table[id: "b"]?.title == "B" && table[id: "d"] == nil)
        #expect(table.contains("c") && !table.contains("d"))
        #expect(table.update(Card(id: "b", title: "new"))?.title == "B")
        #expect(table.update(Card(id: "d")) == nil)
        #expect(!table.insert(Card(id: "d", title: "not this")) && table.insert(Card(id: "e")))
        #expect(table[id: "d"]?.title == "")
        #expect(table.remove(id: "a")?.title == "A" && table.remove(id: "a") == nil)
        #expect(table.rows.map(\.title) == ["new", "C", "", ""])
        table.removeAll()
        #expect(table.isEmpty && table == Table())
    }

    @Test func `of two rows with one id the later counts`() {
        let table = Table([Card(id: "a", title: "1"), Card(id: "b"), Card(id: "a", title: "2")])
        #expect(table.rows.map(\.title) == ["2", ""])
    }

    @Test func `a subscript sets, changes and removes rows`() {
        var table = Table(Self.cards)
        table[id: "a"]?.title += "!"
        table[id: "d"]?.title = "nobody"
        table[id: "e"] = Card(id: "e")
        table[id: "b"] = nil
        table[id: "nobody"] = nil
        #expect(table.rows.map(\.title) == ["A!", "C", ""])
        func remove(_ card: inout Card?) { card = nil }
        func add(_ card: inout Card?) { card = Card(id: "f") }
        remove(&table[id: "a"])
        remove(&table[id: "a"])
        add(&table[id: "f"])
        #expect(table.rows.map(\.id) == ["c", "e", "f"])
        #expect(table.tree.fault == nil)
    }

    @Test func `a row that throws while it is changed keeps what it has`() {
        struct Stop: Error {}
        func change(_ card: inout Card?) throws {
            card?.title = "changed"
            throw Stop()
        }
        var table = Table(Self.cards)
        try? change(&table[id: "b"])
        #expect(table.rows.map(\.title) == ["A", "changed", "C"])
    }

    @Test func `removing through the subscript does what a dictionary does`() {
        var random = SeededGenerator(seed: 1)
        var (table, model): (Table<Card>, [String: Card]) = (Table(), [:])
        for step in 0..<2_000 {
            let id = "\(Int.random(in: 0..<200, using: &random))"
            func change(_ card: inout Card?) {
                card = card == nil || step % 3 == 0 ? Card(id: id, title: "\(step)") : nil
            }
            change(&table[id: id])
            change(&model[id])
            if step % 20 == 0 {
                #expect(table.tree.fault == nil)
                #expect(Set(table.rows) == Set(model.values) && table.count == model.count)
            }
        }
    }

    @Test func `a row with another id can't be set`() async {
        await #expect(processExitsWith: .failure) {
            var table = Table<Card>()
            table[id: "a"] = Card(id: "b")
        }
        await #expect(processExitsWith: .failure) {
            var table = Table([Card(id: "a")])
            table[id: "a"]?.id = "b"
        }
    }

    /// Tells whether it is changed by the one who holds it alone.
    final class Payload {
        var changes = 0
    }

    struct Heavy: Identifiable {
        let id: Int
        private var payload = Payload()
        private(set) var copies = 0

        init(id: Int) { self.id = id }

        mutating func change() {
            if !isKnownUniquelyReferenced(&payload) {
                copies += 1
                payload = Payload()
            }
            payload.changes += 1
        }
    }

    @Test func `a row is changed without a copy of it, if no other version has it`() {
        var table = Table((0..<500).map { Heavy(id: $0) })
        for id in [0, 250, 499, 250] { table[id: id]?.change() }
        #expect(table.rows.allSatisfy { $0.copies == 0 })
        let old = table
        table[id: 250]?.change()
        table[id: 250]?.change()
        #expect(table[id: 250]?.copies == 1 && old[id: 250]?.copies == 0)
    }

    @Test func `a table that nobody else has is changed in place`() {
        var table = Table((0..<1_000).map { Card(id: "\($0)") })
        let before = table.tree.memoryForTesting
        table[id: "5"]?.title = "new"
        table.update(Card(id: "77", title: "new"))
        table.remove(id: "700")
        #expect(table.tree.memoryForTesting == before)
    }

    @Test(arguments: [0, 3, 100])
    func `many rows are removed at once`(share: Int) {
        var table = Table((0..<1_000).map { Card(id: "\($0)") })
        let old = table
        table.removeAll { (Int($0.id) ?? 0) % 100 < share }
        #expect(table.count == 1_000 - share * 10 && old.count == 1_000)
        #expect(table.rows.allSatisfy { (Int($0.id) ?? 0) % 100 >= share })
        #expect(table.tree.fault == nil)
        if share == 0 { #expect(table.tree.isIdentical(to: old.tree)) }
    }

    @Test func `rows are a collection, by position`() {
        let table = Table((0..<1_000).map { Card(id: "\($0)") })
        let sorted = (0..<1_000).map { "\($0)" }.sorted {
            $0.utf8.lexicographicallyPrecedes($1.utf8)
        }
        #expect(table.rows.indices.map { table.rows[$0].id } == sorted)
        #expect(table.rows[100..<250].map(\.id) == Array(sorted[100..<250]))
        #expect(table.rows[100..<250][120].id == sorted[120])
        #expect(table.rows.dropFirst(10).prefix(5).map(\.id) == Array(sorted[10..<15]))
        #expect(table.rows.reversed().map(\.id) == sorted.reversed())
        #expect(table.position(of: sorted[77]) == 77 && table.position(of: "x") == nil)
        #expect(table.rows(after: sorted[77]).map(\.id) == Array(sorted[78...]))
        #expect(table.rows(after: sorted[77] + " ").map(\.id) == Array(sorted[78...]))
        #expect(table.rows(before: sorted[77]).map(\.id) == Array(sorted[..<77]))
        #expect(table.rows(before: "").isEmpty && table.rows(after: "x").isEmpty)
    }

    @Test func `changes tell the rows that differ`() {
        let old = Table(Self.cards)
        var new = old
        new[id: "b"]?.title = "new"
        new[id: "c"]?.title = "C"
        new.remove(id: "a")
        new.update(Card(id: "d"))
        #expect(
            new.changes(from: old).map { [$0.id, $0.old?.title, $0.new?.title] } == [
                ["a", "A", nil], ["b", "B", "new"], ["d", nil, ""],
            ])
        #expect(old.changes(from: new).map(\.new?.title) == ["A", "B", nil])
        #expect(old.changes(from: old).isEmpty)
        // Made anew, so that `==` has to say that they are equal.
        let long = String(repeating: "long ", count: 10)
        let (one, other) = (
            Table((0..<99).map { Card(id: "\($0)", title: long + "\($0)") }),
            Table((0..<99).reversed().map { Card(id: "\($0)", title: long + "\($0)") })
        )
        #expect(one.changes(from: other).isEmpty && one == other)
    }

    @Test func `rows without == are changed when they were set or changed in place`() {
        struct Plain: Identifiable { var id: Int; var number = 0 }
        let old = Table((0..<100).map { Plain(id: $0) })
        var new = old
        new[id: 50]?.number = 1
        new[id: 60]?.number = 0
        #expect(new.changes(from: old).map(\.id) == [50, 60])
    }

    @Test func `tables are equal by their rows, whatever their history`() {
        var one = Table<Card>()
        for number in 0..<500 { one.update(Card(id: "\(number)")) }
        for number in 0..<500 where number % 3 != 0 { one.remove(id: "\(number)") }
        let other = Table((0..<500).filter { $0 % 3 == 0 }.map { Card(id: "\($0)") })
        #expect(one == other && one.hashValue == other.hashValue)
        var changed = one
        changed[id: "300"]?.title = "new"
        #expect(changed != one)
        changed[id: "300"]?.title = ""
        #expect(changed == one)
        changed.remove(id: "300")
        changed.update(Card(id: "301"))
        #expect(changed != one)
    }

    @Test func `a table is shown as the array of its rows`() {
        struct Row: Identifiable { var id: Int }
        let table = Table([Row(id: 2), Row(id: 1)])
        #expect("\(table)" == "\([Row(id: 1), Row(id: 2)])")
        #expect(Mirror(reflecting: table).displayStyle == .collection)
        #expect(Mirror(reflecting: table).children.count == 2)
    }

    @Test func `tables are shared between threads`() async {
        let table = Table((0..<1_000).map { Card(id: "\($0)") })
        await withTaskGroup(of: Bool.self) { group in
            for worker in 0..<4 {
                group.addTask {
                    var own = table
                    for number in 0..<1_000 { own[id: "\(number)"]?.title = "\(worker)" }
                    return own.rows.allSatisfy { $0.title == "\(worker)" }
                }
            }
            for await isRight in group { #expect(isRight) }
        }
        #expect(table.rows.allSatisfy { $0.title == "" })
    }
}
