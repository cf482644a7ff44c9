import StorecastSync
import StorecastTables
import StorecastWire
import Testing

@testable import StorecastRoom

/// Pages whose rows are shown with rows of another table; `RowSelectionTests` has them at random.
struct JoinedSelectionTests {
    private static let page = Selection("page", rows: \Shelf.deck) { (group: String) in
        RowQuery().where(\.group, is: group).limit(3)
    }.joining(\.owners, on: \.keeper) { OwnedItem($0, $1) }

    /// A hundred groups of four items each, whose owners are ten people in turn.
    private var shelf = Shelf(
        deck: OrderedTable(
            (0..<400).map {
                Item(
                    id: "\($0)", group: "\($0 / 4)", rank: 0, due: nil, name: "\($0 / 4 % 10)")
            }),
        owners: Table((0..<10).map { Owner(id: "\($0)", title: "T\($0)") }))
    private let views = SelectionFinders<Shelf>()

    private func attached(_ group: String) throws -> any ToldSource<Shelf> {
        let resolved = try Self.page.resolve(JSONDocument("\"\(group)\"").root, .anonymous)
        let source = try #require(try resolved.source(shelf, views) as? any ToldSource<Shelf>)
        source.attach()
        return source
    }

    /// The patches of the pages that are asked after a change, by their places.
    private mutating func patches(
        of sources: [any ToldSource<Shelf>], _ change: (inout Shelf) -> Void
    ) throws -> [Int: [JSONPatch.Operation]] {
        change(&shelf)
        var patches: [Int: [JSONPatch.Operation]] = [:]
        try views.advance(to: shelf) { source in
            let place = try #require(sources.firstIndex { $0 === source })
            let operations = try source.update(shelf)?.patch.operations ?? []
            // It may be asked twice, but has one change.
            #expect(operations.isEmpty || patches[place, default: []].isEmpty)
            patches[place, default: []] += operations
        }
        return patches
    }

    private func owner(_ place: Int, _ title: JSON) throws -> JSONPatch.Operation {
        .replace(path: try JSONPointer(parsing: "/rows/\(place)/owner"), value: title)
    }

    @Test mutating func `a row concerns the pages that show it beside others, and none else`()
        throws
    {
        let sources = try (0..<100).map { try attached("\($0)") }
        let all = try (0..<3).map { try owner($0, "new") }
        let renamed = try patches(of: sources) { $0.owners[id: "7"]?.title = "new" }
        #expect(renamed.keys.sorted() == (0..<10).map { 7 + 10 * $0 })
        #expect(renamed.values.allSatisfy { $0 == all })
        // One that gets another owner leaves those of the first, and is told of the second.
        let handed = try patches(of: sources) { $0.deck[id: "4"]?.name = "7" }
        #expect(handed.keys.sorted() == [1])
        let again = try patches(of: sources) { $0.owners[id: "7"]?.title = "newer" }
        #expect(again[1] == [try owner(0, "newer")] && again.count == 11)
        // The fourth of a group isn't shown.
        _ = try patches(of: sources) { $0.deck[id: "15"]?.name = "1" }
        let others = try patches(of: sources) { $0.owners[id: "1"]?.title = "other" }
        #expect(others[1] == [try owner(1, "other"), try owner(2, "other")])
        #expect(others[3] == nil && others.count == 10)
    }

    @Test mutating func `rows of both tables may change in a turn, and the other one come later`()
        throws
    {
        // So that the table of the pages is looked at before that of the owners.
        let item = Selection("item", row: \Shelf.deck)
        let resolvedItem = try item.resolve(JSONDocument(#""none""#).root, .anonymous)
        let first = try resolvedItem.source(shelf, views) as? any ToldSource<Shelf>
        try #require(first).attach()
        let source = try attached("5")
        let gone = try patches(of: [source]) { $0.owners[id: "5"] = nil }
        #expect(gone[0]?.count == 3)
        // Nobody is shown now; the table is looked at all the same.
        _ = try patches(of: [source]) { $0.deck.removeAll { $0.group == "5" } }
        _ = try patches(of: [source]) { $0.owners[id: "5"] = Owner(id: "5", title: "back") }
        _ = try patches(of: [source]) {
            $0.deck.append(Item(id: "x", group: "5", rank: 0, due: nil, name: "5"))
            $0.deck.append(Item(id: "y", group: "5", rank: 0, due: nil, name: "new"))
            $0.owners[id: "new"] = Owner(id: "new", title: "N")
        }
        var writer = JSONWriter()
        try source.write(to: &writer)
        let resolved = try Self.page.resolve(JSONDocument("\"5\"").root, .anonymous)
        let value = try JSONDocument(writer.bytes).root.json
        #expect(try value == resolved.value(shelf))
        #expect(value["rows"]?.array?.map { $0["owner"] } == ["back", "N"])
    }

    @Test mutating func `of many pages each is told of a row that all name, until it is let go`()
        throws
    {
        for place in 0..<400 { shelf.deck[id: "\(place)"]?.name = "7" }
        views.advance(to: shelf) { _ in }
        let sources = try (0..<100).map { try attached("\($0)") }
        #expect(try patches(of: sources) { $0.owners[id: "7"]?.title = "a" }.count == 100)
        for place in 0..<100 where place % 3 > 0 { sources[place].detach() }
        let told = try patches(of: sources) { $0.owners[id: "7"]?.title = "b" }
        #expect(told.keys.sorted() == (0..<100).filter { $0 % 3 == 0 })
        // Those that come back are told again, of another row too.
        for place in 0..<100 where place % 3 == 1 { sources[place].attach() }
        let again = try patches(of: sources) {
            $0.owners[id: "7"]?.title = "c"
            for place in 0..<400 { $0.deck[id: "\(place)"]?.name = "8" }
        }
        #expect(again.count == 67)
        #expect(try patches(of: sources) { $0.owners[id: "7"]?.title = "d" }.isEmpty)
        #expect(try patches(of: sources) { $0.owners[id: "8"]?.title = "e" }.count == 67)
    }

    @Test func `a page that is joined twice is a closure`() throws {
        let twice = Self.page.joining(\.keepers, on: \.name) { item, keeper in
            [item.owner, keeper?.title]
        }
        let resolved = try twice.resolve(JSONDocument("\"7\"").root, .anonymous)
        let source = try resolved.source(shelf, views)
        #expect(!(source is any ToldSource<Shelf>))
        var writer = JSONWriter()
        try source.write(to: &writer)
        #expect(
            try JSONDocument(writer.bytes).root.json["rows"]
                == .array(Array(repeating: ["T7", .null], count: 3)))
    }
}
