import StorecastSync
import StorecastTables
import StorecastWire
import Testing

@testable import StorecastRoom

/// What the server keeps up to date from the rows that change is what a look at every row finds.
@Suite(.timeLimit(.minutes(30)))
struct RowSelectionTests {
    @Test(arguments: 0..<20 as Range<UInt64>)
    func `pages and rows are at any time what a look at every row finds`(seed: UInt64) throws {
        var stage = RowStage(seed: seed)
        for _ in 0..<40 { try stage.step() }
    }

    private typealias Part = (
        apply: @Sendable (RowQuery<Item>) -> RowQuery<Item>, holds: @Sendable (Item) -> Bool
    )

    private static let ranges: [Part] = [
        ({ $0.where(\.rank, in: 3...) }, { (3...).contains($0.rank) }),
        ({ $0.where(\.rank, in: ..<6) }, { (..<6).contains($0.rank) }),
        ({ $0.where(\.rank, in: ...6) }, { (...6).contains($0.rank) }),
        ({ $0.where(\.rank, in: 2..<6) }, { (2..<6).contains($0.rank) }),
        ({ $0.where(\.rank, in: 2...6) }, { (2...6).contains($0.rank) }),
        ({ $0.where(\.rank, is: 3) }, { $0.rank == 3 }),
        // All that is said of a field holds, in whatever order it is said.
        ({ $0.where(\.rank, in: 5...).where(\.rank, in: 3...) }, { $0.rank >= 5 }),
        ({ $0.where(\.rank, in: 3...).where(\.rank, in: 5...) }, { $0.rank >= 5 }),
        ({ $0.where(\.rank, in: ..<4).where(\.rank, in: ...6) }, { $0.rank < 4 }),
        ({ $0.where(\.rank, in: ...6).where(\.rank, in: ..<4) }, { $0.rank < 4 }),
        ({ $0.where(\.rank, is: 3).where(\.rank, is: 4) }, { _ in false }),
    ]

    private static let others: [Part] = [
        ({ $0 }, { _ in true }), ({ $0.where(\.group, is: "1") }, { $0.group == "1" }),
        ({ $0.filter { $0.rank != 4 } }, { $0.rank != 4 }),
        (
            { $0.filter { $0.rank != 4 }.filter { $0.group == "2" } },
            { $0.rank != 4 && $0.group == "2" }
        ),
        ({ $0.where(\.name, in: "1"..<"3") }, { ("1"..<"3").contains($0.name) }),
    ]

    private static let orders: [@Sendable (RowQuery<Item>) -> RowQuery<Item>] = [
        { $0 }, { $0.sorted(by: \.rank) }, { $0.sorted(by: \.rank, descending: true) },
        { $0.sorted(by: \.name).sorted(by: \.rank) },
    ]

    /// What an index answers of a query hangs on its order; what is asked of each row is the rest.
    @Test(arguments: ranges.indices, others.indices)
    func `a query has the rows for which all of it holds, whatever the order`(
        range: Int, other: Int
    ) throws {
        let items = (0..<36).map { number in
            Item(
                id: "\(number)", group: "\(number % 3)", rank: number % 9, due: nil,
                name: "\(number % 4)")
        }
        let shelf = Shelf(items: Table(items))
        let parts = [Self.ranges[range], Self.others[other]]
        let expected = items.filter { item in parts.allSatisfy { $0.holds(item) } }
        for order in Self.orders {
            let query = order(parts.reduce(RowQuery<Item>()) { $1.apply($0) })
            let page = Selection("page", rows: \Shelf.items) { (_: NoParameters) in query }
            let source = try page.resolve(nil, .anonymous).source(shelf, SelectionFinders())
            var writer = JSONWriter()
            try source.write(to: &writer)
            let value = try JSONDocument(writer.bytes).root.json
            #expect(try value == page.resolve(nil, .anonymous).value(shelf))
            let ids = value["rows"]?.array?.compactMap { $0["id"]?.string } ?? []
            #expect(ids.sorted() == expected.map(\.id).sorted())
        }
    }

    @Test func `what concerns others isn't looked at`() throws {
        let views = SelectionFinders<Shelf>()
        var shelf = Shelf()
        for number in 0..<1000 {
            shelf.items.update(
                Item(id: "\(number)", group: "\(number % 100)", rank: number, due: nil, name: ""))
        }
        let page = Selection("page", rows: \Shelf.items) { (group: String) in
            RowQuery().where(\.group, is: group).sorted(by: \.rank).limit(5)
        }
        let sources = try (0..<100).map { group in
            try page.resolve(JSONDocument("\"\(group)\"").root, .anonymous)
                .source(shelf, views) as? any ToldSource<Shelf>
        }
        for source in sources { try #require(source).attach() }
        shelf.items[id: "107"]?.name = "other"
        var told: [any ToldSource<Shelf>] = []
        views.advance(to: shelf) { told.append($0) }
        #expect(try told.map { try $0.update(shelf)?.patch.operations.count } == [1])
        // To another group: the pages of both.
        shelf.items[id: "107"]?.group = "8"
        told = []
        views.advance(to: shelf) { told.append($0) }
        #expect(told.count == 2)
    }

    @Test func `the index that its last page leaves is kept for a while, and is up to date`() throws
    {
        var shelf = Shelf(
            items: Table(
                (0..<20).map {
                    Item(id: "\($0)", group: "", rank: $0, due: nil, name: "")
                }))
        let finders = SelectionFinders<Shelf>()
        let views = finders.table(\Shelf.items, in: shelf)
        let page = Selection("page", rows: \Shelf.items) { (order: Int) in
            let query = RowQuery<Item>().limit(5)
            return switch order {
            case 0: query.sorted(by: \.rank)
            case 1: query.sorted(by: \.rank, descending: true)
            case 2: query.sorted(by: \.name)
            case 3: query.sorted(by: \.name, descending: true)
            default: query.sorted(by: \.group)
            }
        }
        func visit(_ order: Int) throws -> RowIndex<Shelf, Table<Item>> {
            let resolved = try page.resolve(JSONDocument("\(order)").root, .anonymous)
            let source = try #require(
                try resolved.source(shelf, finders) as? PageSource<Shelf, Table<Item>>)
            #expect(try value(of: source) == resolved.value(shelf))
            source.attach()
            defer { source.detach() }
            return views.index(for: source.plan)
        }
        let index = try visit(0)
        shelf.items[id: "7"]?.rank = -1
        finders.advance(to: shelf) { _ in }
        #expect(try visit(0) === index)
        // Four of them, those that were left last.
        for order in 1...3 { _ = try visit(order) }
        #expect(try visit(0) === index)
        for order in 1...4 { _ = try visit(order) }
        #expect(try visit(0) !== index)
        finders.forgetIdle()
        #expect(views.isEmpty)
        _ = try visit(0)
        for _ in 0...1000 { finders.advance(to: shelf) { _ in } }
        #expect(views.isEmpty)
    }

    private static let column = Selection("column", rows: \Shelf.deck) { (column: Column) in
        RowQuery().where(\.group, is: column.group).limit(3).after(column.cursor).counted()
    }

    private struct Column: Codable, Hashable, Sendable {
        var group: String
        var cursor: RowCursor?
    }

    /// Thirty items in three groups.
    private static let deck = Shelf(
        deck: OrderedTable(
            (0..<30).map {
                Item(id: "\($0)", group: "\($0 % 3)", rank: $0, due: nil, name: "")
            }))

    /// What is shown afterwards by the pages that a change concerns, of the four pages of the group
    /// "0" and of the first of the others.
    private func shown(_ change: (inout OrderedTable<Item>) -> Void) throws -> [Int: [String]] {
        var shelf = Self.deck
        let views = SelectionFinders<Shelf>()
        var cursor: RowCursor?
        var sources: [any ToldSource<Shelf>] = []
        func subscribe(_ column: Column) throws -> JSON {
            let resolved = try Self.column.resolve(
                JSONDocument(JSONCoding.encode(column)).root, .anonymous)
            let source = try #require(try resolved.source(shelf, views) as? any ToldSource<Shelf>)
            source.attach()
            sources.append(source)
            return try value(of: source)
        }
        for _ in 0..<4 {
            let page = try JSONCoding.decode(
                RowPage<Item>.self, from: try subscribe(Column(group: "0", cursor: cursor)))
            cursor = page.end
        }
        for group in ["1", "2"] { _ = try subscribe(Column(group: group)) }
        change(&shelf.deck)
        var (shown, told): ([Int: [String]], Int) = ([:], 0)
        try views.advance(to: shelf) { source in
            let place = try #require(sources.firstIndex { $0 === source })
            told += 1
            guard try source.update(shelf) != nil else { return }
            shown[place] = try value(of: source)["rows"]?.array?.compactMap { $0["id"]?.string }
        }
        // Of what comes or goes beside the row beside a page, the page is told too.
        #expect(told <= shown.count + 2)
        return shown
    }

    private func value(of source: any ToldSource<Shelf>) throws -> JSON {
        var writer = JSONWriter()
        try source.write(to: &writer)
        return try JSONDocument(writer.bytes).root.json
    }

    @Test func `a row that moves in its order concerns the pages that it leaves or comes to`()
        throws
    {
        // The pages are 0 3 6, 9 12 15, 18 21 24 and 27, each from the last row of the one before.
        let within = try shown { $0.move(id: "9", to: 12) }
        #expect(within == [1: ["12", "9", "15"]])
        let across = try shown { $0.move(id: "21", to: 4) }
        #expect(across == [0: ["0", "3", "21"], 2: ["18", "24", "27"]])
        let elsewhere = try shown { $0.move(id: "14", to: 4) }
        #expect(elsewhere == [5: ["2", "14", "5"]])
        let edited = try shown { $0[id: "18"]?.name = "other" }
        #expect(edited == [2: ["18", "21", "24"]])
        // Those that count are told of one that goes, wherever it is.
        let gone = try shown { $0.remove(id: "27") }
        #expect(gone.keys.sorted() == [0, 1, 2, 3] && gone[3] == [])
    }

    private struct Box: Identifiable, Codable, Equatable, Sendable {
        var id: Int
        var content: JSON
    }

    /// A row may be nested more deeply than a page can hold it.
    @Test func `a row that becomes too deep for its page is an error, as the whole page would be`()
        throws
    {
        typealias Boxes = Table<Box>
        let page = Selection("page", rows: \Boxes.self) { (_: NoParameters) in RowQuery() }
        // The page, its rows and the row are around it.
        for (depth, isTooDeep) in [(JSONLimits.deepestValue - 3, false), (498, true)] {
            var boxes = Table((0..<9).map { Box(id: $0, content: .null) })
            let views = SelectionFinders<Boxes>()
            let source = try #require(
                try page.resolve(nil, .anonymous).source(boxes, views) as? any ToldSource<Boxes>)
            source.attach()
            boxes[id: 4]?.content = (0..<depth).reduce(.null) { content, _ in .array([content]) }
            views.advance(to: boxes) { _ in }
            let patch = try? source.update(boxes)?.patch
            let whole = try? page.resolve(nil, .anonymous).value(boxes)
            #expect((patch == nil) == isTooDeep)
            #expect((whole == nil) == isTooDeep)
            if let content = boxes[id: 4]?.content, let patch {
                let path = try JSONPointer(parsing: "/rows/4/content")
                #expect(patch.operations == [.replace(path: path, value: content)])
            }
        }
    }

    @Test(arguments: [0, -1, Int.min])
    func `a client that asks for no rows gets none`(limit: Int) throws {
        let shelf = Shelf(
            items: Table([Item(id: "1", group: "", rank: 0, due: nil, name: "")]))
        for query in [RowQuery<Item>().limit(limit), RowQuery().limit(limit).before(nil)] {
            let page = Selection("page", rows: \Shelf.items) { (_: NoParameters) in query }
            let source = try page.resolve(nil, .anonymous).source(shelf, SelectionFinders())
            var writer = JSONWriter()
            try source.write(to: &writer)
            let value = try JSONDocument(writer.bytes).root.json
            #expect(value["rows"]?.array?.isEmpty == true && value["hasAfter"]?.bool == true)
            #expect(value == (try page.resolve(nil, .anonymous).value(shelf)))
        }
    }

    @Test func `what a closure reads may become again what it was`() {
        struct SetNote: SyncAction { var text: String }
        let loop = TestLoop()
        let room = loop.open(
            RoomDefinition(
                state: Shelf(items: Table(), note: "a"), actions: [SetNote.self],
                selections: [Selection("note") { (shelf: Shelf) in shelf.note }.reading(\.note)]
            ) { shelf, action in
                if let action = action as? SetNote { shelf.note = action.text }
            }, journal: TestJournal(isImmediate: true))
        let wire = Wire.greeted(room, on: loop)
        wire.say(#"{"op":"subscribe","ref":1,"select":"note"}"#)
        _ = wire.hear()
        for text in ["b", "a", "a", "b"] {
            room.dispatch(SetNote(text: text), DispatchOutcome())
            loop.endTurn()
        }
        #expect(wire.hear().map { $0["value"] } == ["b", "a", "b"])
    }

    @Test func `a closure that says what it reads is told whether that has changed`() throws {
        let count = Selection("count") { (shelf: Shelf) in shelf.items.count }
        #expect(count.reads == nil)
        let reads = try #require(count.reading(\.items).reads)
        let old = Shelf(items: Table([Item(id: "1", group: "", rank: 0, due: nil, name: "")]))
        var new = old
        new.note = "other"
        #expect(!reads(old, new))
        new.items[id: "1"]?.rank = 1
        #expect(reads(old, new))
        let both = try #require(count.reading(\.items, \.note).reads)
        #expect(!both(old, old))
        new = old
        new.note = "a note that is too long to be in the string itself"
        #expect(both(old, new))
    }

    @Test func `values have one order, whatever their types`() {
        let inOrder: [IndexValue] = [
            .none, .bool(false), .bool(true), .double(.nan), .double(-.infinity), .int(.min),
            .double(-1.5), .int(-1), .double(-0.5), .int(0), .double(0.5), .int(1),
            .int(9_007_199_254_740_992), .int(9_007_199_254_740_993), .int(.max),
            .double(0x1p63), .uint(9_223_372_036_854_775_809), .uint(.max), .double(0x1p64),
            .double(.infinity), .string(""), .string("e\u{301}"), .string("\u{e9}"),
        ]
        for (place, left) in inOrder.enumerated() {
            for (other, right) in inOrder.enumerated() {
                #expect((left < right) == (place < other), "\(left) \(right)")
                #expect((left == right) == (place == other), "\(left) \(right)")
            }
        }
        #expect(IndexValue.int(1) == .double(1) && IndexValue.double(-0.0) == .int(0))
        #expect(IndexValue.int(1).hashValue == IndexValue.double(1).hashValue)
    }

    @Test func `a cursor of another order is refused`() throws {
        let page = Selection("page", rows: \Shelf.items) { (cursor: RowCursor) in
            RowQuery().sorted(by: \.rank).after(cursor)
        }
        #expect(throws: Rejection.self) {
            _ = try page.resolve(JSONDocument(#"["a","b","c"]"#).root, .anonymous)
                .source(Shelf(), SelectionFinders())
        }
    }
}

struct Item: Identifiable, Codable, Equatable, Sendable {
    var id: String
    var group: String
    var rank: Int
    var due: Double?
    var name: String

    /// Nobody's if it is due.
    var keeper: String? { due == nil ? name : nil }
}

/// What items name, by their group or name.
struct Owner: Identifiable, Codable, Equatable, Sendable {
    var id: String
    var title: String
}

struct OwnedItem: Codable, Equatable, Sendable {
    var id: String
    var name: String
    var rank: Int
    var owner: String?

    init(_ item: Item, _ owner: Owner?) {
        (id, name, rank, self.owner) = (item.id, item.name, item.rank, owner?.title)
    }
}

struct Shelf: Codable, Equatable, Sendable {
    var items = Table<Item>()
    /// An order of its own.
    var deck = OrderedTable<Item>()
    var owners = Table<Owner>()
    var keepers = OrderedTable<Owner>()
    var note = ""
}

/// Random rows, and random selections of them with what they were last.
private struct RowStage {
    private struct Shown {
        let resolved: ResolvedSelection<Shelf>
        let source: any ToldSource<Shelf>
        var value: JSON
        var size: Int
        var isAttached = false
        /// Whether it was told of changes, and waits for its update.
        var isBehind = false
    }

    private var random: SeededGenerator
    private var shelf = Shelf()
    private let views = SelectionFinders<Shelf>()
    private var shown: [Shown] = []

    init(seed: UInt64) {
        random = SeededGenerator(seed: seed)
        for _ in 0..<random.below(40) { change() }
    }

    mutating func step() throws {
        if shown.count < 30, random.below(3) > 0 { try select() }
        for _ in 0..<random.below(4) { change() }
        #expect(shelf.deck.fault == nil)
        var told: Set<ObjectIdentifier> = []
        views.advance(to: shelf) { told.insert(ObjectIdentifier($0)) }
        for place in shown.indices {
            if told.contains(ObjectIdentifier(shown[place].source)) { shown[place].isBehind = true }
            // As in a turn that has no time for it.
            if shown[place].isBehind, random.below(3) == 0 { continue }
            if shown[place].isBehind || (!shown[place].isAttached && random.below(4) == 0) {
                try update(place)
                shown[place].isBehind = false
                if !shown[place].isAttached {
                    shown[place].source.attach()
                    shown[place].isAttached = true
                }
            } else if shown[place].isAttached {
                #expect(try shown[place].resolved.value(shelf) == shown[place].value)
                if random.below(20) == 0 {
                    shown[place].source.detach()
                    shown[place].isAttached = false
                }
            }
        }
    }

    private mutating func update(_ place: Int) throws {
        let change = try shown[place].source.update(shelf)
        var value = shown[place].value
        try change?.patch.apply(to: &value)
        let expected = try shown[place].resolved.value(shelf)
        #expect(value == expected)
        #expect(shown[place].size + (change?.growth ?? 0) == expected.encodedSize)
        var writer = JSONWriter()
        try shown[place].source.write(to: &writer)
        #expect(try JSONDocument(writer.bytes).root.json == expected)
        shown[place].value = expected
        shown[place].size = expected.encodedSize
    }

    private mutating func select() throws {
        let resolved: ResolvedSelection<Shelf>
        let isRanked = random.below(2) == 0
        if random.below(4) == 0 {
            let item =
                isRanked
                ? Selection("item", row: \Shelf.deck) : Selection("item", row: \Shelf.items)
            resolved = try item.resolve(JSONDocument("\"\(random.below(30))\"").root, .anonymous)
        } else {
            let query = isRanked ? query(of: shelf.deck) : query(of: shelf.items)
            let page =
                isRanked
                ? Selection("page", rows: \Shelf.deck) { (_: NoParameters) in query }
                : Selection("page", rows: \Shelf.items) { (_: NoParameters) in query }
            resolved = try resolve(page)
        }
        let source = try #require(
            try resolved.source(shelf, views) as? any ToldSource<Shelf>)
        let value = try resolved.value(shelf)
        var writer = JSONWriter()
        try source.write(to: &writer)
        #expect(try JSONDocument(writer.bytes).root.json == value)
        source.attach()
        shown.append(
            Shown(
                resolved: resolved, source: source, value: value, size: value.encodedSize,
                isAttached: true))
    }

    /// The page, joined or not.
    private mutating func resolve(
        _ page: Selection<Shelf, NoParameters, RowPage<Item>>
    ) throws -> ResolvedSelection<Shelf> {
        switch random.below(8) {
        case 0:
            try page.joining(\.owners, on: \.group) { OwnedItem($0, $1) }
                .resolve(nil, .anonymous)
        case 1:
            try page.joining(\.keepers, on: \.keeper) { OwnedItem($0, $1) }
                .resolve(nil, .anonymous)
        case 2:
            try page.joining(\.owners, on: \.keeper) { OwnedItem($0, $1) }
                .resolve(nil, .anonymous)
        case 3:
            // Rows of the same table, or of its twin.
            try page.joining(\.items, on: \.group) { [$0, $1] }.resolve(nil, .anonymous)
        default: try page.resolve(nil, .anonymous)
        }
    }

    private mutating func query(of table: some RowsByID<Item>) -> RowQuery<Item> {
        var query = RowQuery<Item>()
        if random.below(2) == 0 { query = query.where(\.group, is: "\(random.below(4))") }
        if random.below(6) == 0 { query = query.where(\.due, is: nil) }
        let isDescending = random.below(2) == 0
        switch random.below(4) {
        case 0: query = query.sorted(by: \.rank, descending: isDescending)
        case 1: query = query.sorted(by: \.due, descending: isDescending)
        case 2:
            query = query.sorted(by: \.name, descending: isDescending)
                .sorted(by: \.rank, descending: random.below(2) == 0)
        default: break
        }
        switch random.below(8) {
        case 0: query = query.where(\.rank, in: ..<random.below(20))
        case 1:
            query = query.where(\.rank, in: random.below(20)...)
                .where(\.rank, in: ...random.below(20))
        case 2: query = query.where(\.name, in: "2"..<"e\u{301}")
        case 3:
            let bound = random.below(20)
            query = query.filter { $0.rank % 3 != bound % 3 }
        default: break
        }
        if random.below(2) == 0 { query = query.limit(random.below(7)) }
        if random.below(3) == 0 { query = query.counted() }
        if random.below(2) == 0, let page = Optional(query.page(of: table)) {
            query = random.below(2) == 0 ? query.after(page.end) : query.before(page.start)
        }
        return query
    }

    /// Changes both tables alike, or the order of the one that has one.
    private mutating func change() {
        if random.below(3) == 0 { return move() }
        if random.below(3) == 0 { return changeOwner() }
        let id = "\(random.below(40))"
        guard var item = shelf.items[id: id] else {
            let item = Item(
                id: id, group: "\(random.below(4))", rank: random.below(20), due: nil,
                name: "e\u{301}")
            shelf.items.update(item)
            shelf.deck.insert(item, at: random.below(shelf.deck.count + 1))
            return
        }
        switch random.below(7) {
        case 0:
            shelf.items.remove(id: id)
            shelf.deck.remove(id: id)
            return
        case 1: item.group = "\(random.below(4))"
        case 2: item.rank = random.below(20)
        case 3: item.due = random.below(3) == 0 ? nil : Double(random.below(10)) / 2
        // Equal by Swift's `==`.
        case 4: item.name = random.below(2) == 0 ? "\u{e9}" : "e\u{301}"
        default: item.name = "\(random.below(9))"
        }
        shelf.items.update(item)
        shelf.deck[id: id] = item
    }

    private mutating func changeOwner() {
        let names = ["\u{e9}", "e\u{301}"] + (0..<9).map { "\($0)" }
        let id = names[random.below(names.count)]
        let owner = Owner(id: id, title: names[random.below(names.count)])
        switch random.below(6) {
        case 0: shelf.owners.remove(id: id)
        case 1: shelf.keepers.remove(id: id)
        case 2, 3: shelf.owners.update(owner)
        default: shelf.keepers.insert(owner, at: 0)
        }
    }

    private mutating func move() {
        guard shelf.deck.count > 2 else { return }
        let place = random.below(shelf.deck.count)
        shelf.deck.move(id: shelf.deck[place].id, to: random.below(shelf.deck.count))
        guard random.below(20) == 0 else { return }
        // Always between the same two, until there is no room and those around are ranked anew.
        for _ in 0..<80 { shelf.deck.move(id: shelf.deck[2].id, to: 1) }
    }
}
