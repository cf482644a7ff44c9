import MeasureSupport
import StorecastRoom
import StorecastSync
import StorecastTables
import StorecastWire

/// What one changed row costs where many selections look at the table.
enum RowCost: Benchmark {
    static let name = "rows"
    static let summary = "One changed row of a table, for selections of rows and of all of it"

    struct Chore: Identifiable, Codable, Equatable, Sendable {
        var id: String
        var owner: String
        var due: Int
        var title = "What is to be done"
    }

    struct Chores: Codable, Equatable, Sendable {
        var all = StorecastTables.Table<Chore>()

        init(_ count: Int, owners: Int) {
            all = StorecastTables.Table(
                (0..<count).map { number in
                    Chore(
                        id: "chore-\(number)", owner: "\(number % owners)", due: number / owners)
                })
        }
    }

    static let page = Selection("page", rows: \Chores.all) { (owner: String) in
        RowQuery().where(\.owner, is: owner).sorted(by: \.due).limit(50)
    }

    /// A million chores of 10,000 owners.
    static var room: RoomDefinition<Chores> {
        RoomDefinition(
            state: Chores(1_000_000, owners: 10_000), actions: [], selections: [page]
        ) { _, _ in }
    }

    static func run(_ scale: Scale, _ table: inout Table) async throws {
        let whole = Selection("all") { (chores: Chores) in chores.all }
        for count in scale.pick([100, 1_000], [100, 10_000, 1_000_000]) {
            try measure(
                "a table of \(count), mirrored whole", whole, [nil], Chores(count, owners: 100),
                scale, &table)
        }
        let chores = Chores(scale.pick(10_000, 1_000_000), owners: scale.pick(100, 10_000))
        let first = try Stopwatch.nanoseconds(runs: scale.runs, count: 1) {
            blackHole(
                try page.resolve(JSONDocument("\"7\"").root, .anonymous)
                    .source(chores, SelectionFinders()))
        }
        table.add("the first page of \(chores.all.count)", first.scaled(by: 1e-6), "ms")
        for count in scale.pick([1, 100], [1, 10_000]) {
            try measure(
                "\(count) pages of 50 of \(chores.all.count)", page,
                (0..<count).map { "\"\($0)\"" },
                chores, scale, &table)
        }
        let row = Selection("chore", row: \Chores.all)
        for count in scale.pick([10, 100], [10, 100_000]) {
            try measure(
                "\(count) rows of \(chores.all.count)", row, (0..<count).map { "\"chore-\($0)\"" },
                chores, scale, &table)
        }
    }

    /// The time from a change of row 0 to the patch of whom it concerns.
    private static func measure<Parameters, Value>(
        _ what: String, _ selection: Selection<Chores, Parameters, Value>, _ parameters: [String?],
        _ chores: Chores, _ scale: Scale, _ table: inout Table
    ) throws {
        // Used by this function alone, which the compiler doesn't see through its closures.
        nonisolated(unsafe) var chores = chores
        nonisolated(unsafe) let views = SelectionFinders<Chores>()
        nonisolated(unsafe) var others: [any SelectionSource<Chores>] = []
        for text in parameters {
            let params = try text.map { try JSONDocument($0).root }
            let source = try selection.resolve(params, .anonymous).source(chores, views)
            if let source = source as? any ToldSource<Chores> {
                source.attach()
            } else {
                others.append(source)
            }
        }
        nonisolated(unsafe) var patches = 0
        let microseconds = try Stopwatch.nanoseconds(
            runs: scale.runs, count: scale.pick(10, 1_000)
        ) {
            chores.all[id: "chore-0"]?.title += "."
            if chores.all[id: "chore-0"]?.title.utf8.count ?? 0 > 60 {
                chores.all[id: "chore-0"]?.title = "."
            }
            for source in others where try source.update(chores) != nil { patches += 1 }
            try views.advance(to: chores) { source in
                if try source.update(chores) != nil { patches += 1 }
            }
        }.scaled(by: 0.001)
        precondition(patches > 0, "Nobody was told of the change.")
        table.add(what, microseconds, "µs")
    }
}
