import StorecastSync
import StorecastTables
import StorecastWire
import Synchronization
import Testing

@testable import StorecastRoom

/// Aggregates that the server keeps from the rows that change are what a look at every row finds.
@Suite(.timeLimit(.minutes(30)))
struct AggregateSelectionTests {
    @Test(arguments: 0..<20 as Range<UInt64>)
    func `aggregates are at any time what a look at every row finds`(seed: UInt64) throws {
        var stage = AggregateStage(seed: seed)
        for _ in 0..<40 { try stage.step() }
    }

    private static let counts = Selection("counts", aggregating: \Shelf.items) { (least: Int) in
        RowQuery().where(\.rank, in: least...).aggregate(.count, groupedBy: \.group)
    }

    private func item(_ id: String, group: String, rank: Int) -> Item {
        Item(id: id, group: group, rank: rank, due: nil, name: "")
    }

    @Test func `only the groups are told whose aggregates have changed`() throws {
        var shelf = Shelf(items: Table((0..<90).map { item("\($0)", group: "\($0 % 9)", rank: 5) }))
        let views = SelectionFinders<Shelf>()
        _ = try attached(Self.counts, "3", shelf, views)
        try expectPatch([], &shelf, views) { $0[id: "10"]?.name = "other" }
        func number(of group: String, _ number: JSON) -> JSONPatch.Operation {
            .replace(path: JSONPointer([group, "value"]), value: number)
        }
        try expectPatch([number(of: "1", 9)], &shelf, views) { $0[id: "10"]?.rank = 1 }
        try expectPatch([number(of: "2", 9), number(of: "5", 11)], &shelf, views) {
            $0[id: "11"]?.group = "5"
        }
        let other = JSONPointer(["x"])
        try expectPatch([.add(path: other, value: ["id": "x", "value": 1])], &shelf, views) {
            $0.update(item("new", group: "x", rank: 3))
        }
        try expectPatch([.remove(path: other)], &shelf, views) { $0.remove(id: "new") }
    }

    /// The whole look shares the query with what is kept: so this is counted by hand.
    @Test func `rows for which a function doesn't hold aren't counted`() throws {
        let odd = Selection("odd", aggregating: \Shelf.items) { (_: NoParameters) in
            RowQuery().filter { $0.rank % 2 == 1 }.aggregate(.sum(\.rank), groupedBy: \.group)
        }
        let items = (0..<6).map { item("\($0)", group: "\($0 / 3)", rank: $0) }
        var shelf = Shelf(items: Table(items))
        let views = SelectionFinders<Shelf>()
        let resolved = try odd.resolve(nil, .anonymous)
        let source = try #require(try resolved.source(shelf, views) as? any ToldSource<Shelf>)
        source.attach()
        func sums() throws -> [JSON?] {
            var writer = JSONWriter()
            try source.write(to: &writer)
            let value = try JSONDocument(writer.bytes).root.json
            #expect(try value == resolved.value(shelf))
            return [value["0"]?["value"], value["1"]?["value"]]
        }
        #expect(try sums() == [1, 8])
        try expectPatch(
            [.replace(path: JSONPointer(["1", "value"]), value: 3)], &shelf, views
        ) {
            $0[id: "4"]?.rank = 6
            $0[id: "5"]?.rank = 8
        }
        #expect(try sums() == [1, 3])
    }

    @Test func `of many that watch the same rows each is told, until it is let go`() throws {
        var shelf = Shelf(items: Table((0..<9).map { item("\($0)", group: "a", rank: $0) }))
        let views = SelectionFinders<Shelf>()
        // With all rows of the group on the first page, so that each is at an end.
        let page = Selection("page", rows: \Shelf.items) { (limit: Int) in
            RowQuery().where(\.group, is: "a").sorted(by: \.rank).limit(limit).counted()
        }
        let sources = try (0..<50).flatMap { number in
            [
                try attached(Self.counts, "0", shelf, views),
                try attached(page, "\(100 + number)", shelf, views),
            ]
        }
        func told(_ change: (inout Table<Item>) -> Void) -> Int {
            change(&shelf.items)
            var told: Set<ObjectIdentifier> = []
            views.advance(to: shelf) { told.insert(ObjectIdentifier($0)) }
            return told.count
        }
        #expect(told { $0.update(item("new", group: "a", rank: 99)) } == 100)
        for place in 0..<100 where place % 5 > 0 { sources[place].detach() }
        #expect(told { $0.update(item("newer", group: "a", rank: 100)) } == 20)
        #expect(told { $0.remove(id: "4") } == 20)
        for source in sources { _ = try source.update(shelf) }
        sources[1].attach()
        #expect(told { $0.update(item("newest", group: "a", rank: 101)) } == 21)
    }

    private func attached(
        _ selection: some SelectionProtocol<Shelf>, _ parameters: String, _ shelf: Shelf,
        _ views: SelectionFinders<Shelf>
    ) throws -> any ToldSource<Shelf> {
        let resolved = try selection.resolve(JSONDocument(parameters).root, .anonymous)
        let source = try #require(try resolved.source(shelf, views) as? any ToldSource<Shelf>)
        source.attach()
        return source
    }

    private func expectPatch(
        _ operations: [JSONPatch.Operation], _ shelf: inout Shelf,
        _ views: SelectionFinders<Shelf>, of change: (inout Table<Item>) -> Void
    ) throws {
        change(&shelf.items)
        var patch: [JSONPatch.Operation] = []
        try views.advance(to: shelf) { patch += try $0.update(shelf)?.patch.operations ?? [] }
        #expect(patch == operations)
    }

    @Test func `a row that only moves in its order is told to no aggregate`() throws {
        let count = Selection("count", aggregating: \Shelf.deck) { (group: String) in
            RowQuery().where(\.group, is: group).aggregate(.count)
        }
        var shelf = Shelf(
            deck: OrderedTable((0..<9).map { item("\($0)", group: "\($0 % 3)", rank: 5) }))
        let views = SelectionFinders<Shelf>()
        let source = try attached(count, "\"0\"", shelf, views)
        shelf.deck.move(id: "3", to: 7)
        views.advance(to: shelf) { _ in Issue.record() }
        shelf.deck[id: "4"]?.group = "0"
        shelf.deck.move(id: "4", to: 0)
        var told = 0
        try views.advance(to: shelf) { source in
            told += 1
            let change = try source.update(shelf)
            #expect(change != nil)
        }
        #expect(told == 1)
        #expect(try source.isCurrent(count, "\"0\"", shelf))
    }

    @Test func `a change is told to the aggregates of rows with its values, and to no others`()
        throws
    {
        let count = Selection("count", aggregating: \Shelf.items) { (group: String) in
            RowQuery().where(\.group, is: group).aggregate(.sum(\.rank))
        }
        var shelf = Shelf(items: Table((0..<90).map { item("\($0)", group: "\($0 % 9)", rank: 5) }))
        let views = SelectionFinders<Shelf>()
        let sources = try (0..<9).map { try attached(count, "\"\($0)\"", shelf, views) }
        var told: [Int] = []
        func change(_ change: (inout Item?) -> Void) throws {
            change(&shelf.items[id: "10"])
            told = []
            try views.advance(to: shelf) { source in
                told += sources.indices.filter { sources[$0] === source }
                _ = try source.update(shelf)
            }
        }
        try change { $0?.rank = 6 }
        #expect(told == [1])
        try change { $0?.group = "2" }
        #expect(told == [1, 2])
        for source in sources { source.detach() }
        try change { $0?.rank = 7 }
        #expect(told == [])
    }

    /// How often a field was read while one row of each of two groups was changed.
    private func looks(rows: Int, groups: Int) throws -> Int {
        var stock = Stock(
            parts: Table((0..<rows).map { Part(id: $0, kept: $0 % groups, value: $0) }))
        let views = SelectionFinders<Stock>()
        let sources = try (0..<groups).map { group in
            let resolved = try Stock.ofGroup.resolve(JSONDocument("\(group)").root, .anonymous)
            let source = try #require(try resolved.source(stock, views) as? any ToldSource<Stock>)
            source.attach()
            return source
        }
        let resolved = try Stock.all.resolve(nil, .anonymous)
        let all = try #require(try resolved.source(stock, views) as? any ToldSource<Stock>)
        all.attach()
        Part.looks.withLock { $0 = 0 }
        // The least of its group, and the greatest.
        stock.parts[id: 0]?.kept = 1
        stock.parts[id: rows - 1] = nil
        var told = 0
        try views.advance(to: stock) { source in
            told += 1
            let change = try source.update(stock)
            #expect(change != nil)
        }
        #expect(told == 4 && sources.count == groups)
        let looks = Part.looks.withLock(\.self)
        #expect(try sources[1].isCurrent(Stock.ofGroup, "1", stock))
        return looks
    }

    @Test func `what is looked at for a change depends on neither rows nor selections in use`()
        throws
    {
        let few = try looks(rows: 20, groups: 4)
        #expect(few < 60)
        #expect(try looks(rows: 5000, groups: 4) == few)
        #expect(try looks(rows: 5000, groups: 500) == few)
    }
}

extension ToldSource {
    /// Whether it has the value that a look at every row finds.
    fileprivate func isCurrent(
        _ selection: some SelectionProtocol<State>, _ parameters: String, _ state: State
    ) throws -> Bool {
        var writer = JSONWriter()
        try write(to: &writer)
        let resolved = try selection.resolve(JSONDocument(parameters).root, .anonymous)
        return try JSONDocument(writer.bytes).root.json == resolved.value(state)
    }
}

/// A row that counts how often it is looked at.
private struct Part: Identifiable, Codable, Equatable, Sendable {
    static let looks = Mutex(0)

    var id: Int
    var kept: Int
    var value: Int

    var group: Int {
        Self.looks.withLock { $0 += 1 }
        return kept
    }

    var worth: Int {
        Self.looks.withLock { $0 += 1 }
        return value
    }
}

private struct Stock: Codable, Sendable {
    var parts = Table<Part>()

    private static let summary = RowAggregate<Part, [Int?]>.combined(
        .count, .sum(\.worth), .min(\.worth), .max(\.worth)
    ) { [$0, $1, $2, $3] }

    static let ofGroup = Selection("ofGroup", aggregating: \Stock.parts) { (group: Int) in
        RowQuery().where(\.group, is: group).aggregate(summary)
    }
    static let all = Selection("all", aggregating: \Stock.parts) { (_: NoParameters) in
        RowQuery().aggregate(summary, groupedBy: \.group)
    }
}

private struct Summary: Codable, Equatable, Sendable {
    var count: Int
    var sum: Int
    var first: Double?
    var last: String?
    var least: Int?
    var greatest: Int?
}

extension SeededGenerator {
    fileprivate mutating func pick<Value>(_ values: [Value]) -> Value {
        values[below(values.count)]
    }
}

/// What a client asks for.
private struct Wish: Codable, Hashable, Sendable {
    var group: String?
    var isWithoutDue = false
    var least: Int?
    var odd: Bool?

    var query: RowQuery<Item> {
        // Neither the order nor the page counts.
        var query = RowQuery<Item>().sorted(by: \.rank).limit(1)
        if let group { query = query.where(\.group, is: group) }
        if isWithoutDue { query = query.where(\.due, is: nil) }
        if let least { query = query.where(\.rank, in: least...) }
        if let odd { query = query.filter { ($0.rank % 2 != 0) == odd } }
        return query
    }
}

/// Random rows, and random aggregates of them with what they were last.
private struct AggregateStage {
    private struct Shown {
        let resolved: ResolvedSelection<Shelf>
        let source: any ToldSource<Shelf>
        var value: JSON
        var size: Int
        var isAttached = false
    }

    private static let summary = RowAggregate<Item, Summary>.combined(
        .count, .sum(\.rank), .min(\.due), .max(\.name), .min(\.rank), .max(\.rank)
    ) { Summary(count: $0, sum: $1, first: $2, last: $3, least: $4, greatest: $5) }

    private static let selections: [any SelectionProtocol<Shelf>] = [
        Selection("count", aggregating: \Shelf.items) { (wish: Wish) in
            wish.query.aggregate(.count)
        },
        Selection("sum", aggregating: \Shelf.items) { (wish: Wish) in
            wish.query.aggregate(.sum(\.rank))
        },
        Selection("last", aggregating: \Shelf.items) { (wish: Wish) in
            wish.query.aggregate(.max(\.due))
        },
        Selection("summary", aggregating: \Shelf.items) { (wish: Wish) in
            wish.query.aggregate(summary)
        },
        Selection("names", aggregating: \Shelf.items) { (wish: Wish) in
            wish.query.aggregate(summary, groupedBy: \.name)
        },
        Selection("ranks", aggregating: \Shelf.items) { (wish: Wish) in
            wish.query.aggregate(.min(\.due), groupedBy: \.rank)
        },
        Selection("mine", aggregating: \Shelf.items) { (wish: Wish, viewer: Identity) in
            wish.query.where(\.name, is: viewer.id).aggregate(summary, groupedBy: \.group)
        },
        Selection("others", aggregating: \Shelf.items) { (wish: Wish, viewer: Identity) in
            wish.query.filter { !$0.name.isSameText(as: viewer.id) }.aggregate(summary)
        },
        Selection("deck", aggregating: \Shelf.deck) { (wish: Wish) in
            wish.query.aggregate(summary, groupedBy: \.name)
        },
        Selection("myDeck", aggregating: \Shelf.deck) { (wish: Wish, viewer: Identity) in
            wish.query.where(\.name, is: viewer.id).aggregate(summary)
        },
    ]

    private static let names = ["a", "b", "\u{e9}", "e\u{301}"]

    private var random: SeededGenerator
    private var shelf = Shelf()
    private let views = SelectionFinders<Shelf>()
    private var shown: [Shown] = []

    init(seed: UInt64) {
        random = SeededGenerator(seed: seed)
        for _ in 0..<random.below(60) { change() }
    }

    mutating func step() throws {
        if shown.count < 30, random.below(3) > 0 { try select() }
        for _ in 0..<random.below(5) { change() }
        var told: Set<ObjectIdentifier> = []
        views.advance(to: shelf) { told.insert(ObjectIdentifier($0)) }
        for place in shown.indices {
            let isTold = told.contains(ObjectIdentifier(shown[place].source))
            if isTold || (!shown[place].isAttached && random.below(4) == 0) {
                try update(place)
                if !shown[place].isAttached {
                    shown[place].source.attach()
                    shown[place].isAttached = true
                }
            } else if shown[place].isAttached {
                try expectText(of: place)
                if random.below(20) == 0 {
                    shown[place].source.detach()
                    shown[place].isAttached = false
                }
            }
        }
    }

    /// Byte by byte.
    private func expectText(of place: Int) throws {
        var (writer, expected) = (JSONWriter(), JSONWriter())
        try shown[place].source.write(to: &writer)
        expected.write(try shown[place].resolved.value(shelf))
        #expect(
            String(decoding: writer.bytes, as: UTF8.self)
                .isSameText(as: String(decoding: expected.bytes, as: UTF8.self)))
    }

    private mutating func update(_ place: Int) throws {
        let change = try shown[place].source.update(shelf)
        var value = shown[place].value
        try change?.patch.apply(to: &value)
        let expected = try shown[place].resolved.value(shelf)
        #expect(value == expected)
        #expect(shown[place].size + (change?.growth ?? 0) == expected.encodedSize)
        try expectText(of: place)
        shown[place].value = expected
        shown[place].size = expected.encodedSize
    }

    private mutating func select() throws {
        var wish = Wish()
        if random.below(2) == 0 { wish.group = "\(random.below(4))" }
        wish.isWithoutDue = random.below(5) == 0
        if random.below(3) == 0 { wish.least = random.below(9) }
        if random.below(3) == 0 { wish.odd = random.below(2) == 0 }
        let parameters = try JSONDocument(JSONCoding.encode(wish)).root
        let viewer = Identity(random.pick(Self.names))
        let resolved = try random.pick(Self.selections).resolve(parameters, viewer)
        let source = try #require(try resolved.source(shelf, views) as? any ToldSource<Shelf>)
        let value = try resolved.value(shelf)
        source.attach()
        shown.append(
            Shown(
                resolved: resolved, source: source, value: value, size: value.encodedSize,
                isAttached: true))
        try expectText(of: shown.count - 1)
    }

    private mutating func change() {
        let id = "\(random.below(40))"
        guard var item = shelf.items[id: id] else {
            let item = Item(
                id: id, group: "\(random.below(4))", rank: rank(), due: due(),
                name: random.pick(Self.names))
            shelf.items.update(item)
            shelf.deck.append(item)
            return
        }
        shelf.deck.move(id: id, to: random.below(shelf.deck.count))
        switch random.below(6) {
        case 0:
            shelf.items.remove(id: id)
            shelf.deck.remove(id: id)
            return
        case 1: item.group = "\(random.below(4))"
        case 2: item.rank = rank()
        case 3: item.due = due()
        default: item.name = random.pick(Self.names)
        }
        shelf.items.update(item)
        if random.below(4) > 0 { shelf.deck[id: id] = item }
    }

    /// Sums of them are beyond what an integer holds, now and then.
    private mutating func rank() -> Int {
        random.below(8) == 0 ? random.pick([Int.max, .min, .max - 1]) : random.below(12)
    }

    private mutating func due() -> Double? { random.pick([nil, nil, 0, -0.0, 0.5, -2, 7]) }
}
