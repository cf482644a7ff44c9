public import StorecastTables

/// What is told of some rows in one value: their number, the sum of a field, the least or greatest
/// value of one, or several of these.
///
/// ```swift
/// struct Load: Codable, Equatable, Sendable {
///     var cards: Int
///     var points: Int
///     var next: Double?
/// }
/// static let load = Selection("load", aggregating: \Board.cards) { (team: String) in
///     RowQuery().where(\.team, is: team)
///         .aggregate(
///             .combined(.count, .sum(\.points), .min(\.due)) {
///                 Load(cards: $0, points: $1, next: $2)
///             })
/// }
/// ```
/// The server keeps it from the rows that change: a changed row costs O(log n) for each sum, least
/// or greatest value that it is a part of, whatever the number of rows.
public struct RowAggregate<Row: Sendable, Value>: Sendable {
    package let measures: [RowMeasure<Row>]
    /// Takes the results of the measures off the front of a list.
    let read: @Sendable (inout ArraySlice<RowResult<Row>>) -> Value
}

/// What is found out about some rows.
package enum RowMeasure<Row>: Sendable {
    case count
    case sum(RowField<Row>)
    case least(RowField<Row>)
    case greatest(RowField<Row>)
}

/// What a measure comes to.
package enum RowResult<Row> {
    case number(Int)
    /// A row that has the value, if one has any.
    case row(Row?)
}

extension RowAggregate where Value == Int {
    /// The number of rows.
    public static var count: Self { number(.count) }

    /// The sum of an integer field; 0 without rows.
    ///
    /// It is exact. Beyond what an `Int` holds it is `Int.max` or `Int.min`, for as long as the sum
    /// stays there. There are no sums of fractions, as they depend on the order in which they are
    /// added up: count in cents, or in seconds.
    public static func sum<Field: FixedWidthInteger & Indexable>(
        _ field: any KeyPath<Row, Field> & Sendable
    ) -> Self { number(.sum(RowField(field))) }

    /// The sum of an integer field, in which rows without a value count as 0.
    public static func sum<Field: FixedWidthInteger & Indexable>(
        _ field: any KeyPath<Row, Field?> & Sendable
    ) -> Self { number(.sum(RowField(field))) }

    private static func number(_ measure: RowMeasure<Row>) -> Self {
        Self(measures: [measure]) { results in
            if case .number(let number)? = results.popFirst() { number } else { 0 }
        }
    }
}

extension RowAggregate {
    /// The least value of a field; nil without rows. In the order of ``IndexValue``: strings by
    /// their bytes, and what isn't a number before all numbers.
    public static func min<Field: Indexable>(
        _ field: any KeyPath<Row, Field> & Sendable
    ) -> Self where Value == Field? {
        row(.least(RowField(field))) { $0[keyPath: field] }
    }

    /// The least value of a field; nil if no row has one.
    public static func min<Field: Indexable>(
        _ field: any KeyPath<Row, Field?> & Sendable
    ) -> Self where Value == Field? {
        row(.least(RowField(field))) { $0[keyPath: field] }
    }

    /// The greatest value of a field; nil without rows. In the order of ``IndexValue``.
    public static func max<Field: Indexable>(
        _ field: any KeyPath<Row, Field> & Sendable
    ) -> Self where Value == Field? {
        row(.greatest(RowField(field))) { $0[keyPath: field] }
    }

    /// The greatest value of a field; nil if no row has one.
    public static func max<Field: Indexable>(
        _ field: any KeyPath<Row, Field?> & Sendable
    ) -> Self where Value == Field? {
        row(.greatest(RowField(field))) { $0[keyPath: field] }
    }

    private static func row<Field>(
        _ measure: RowMeasure<Row>, _ field: @escaping @Sendable (Row) -> Field?
    ) -> Self where Value == Field? {
        Self(measures: [measure]) { results in
            if case .row(let row?)? = results.popFirst() { field(row) } else { nil }
        }
    }

    /// Several aggregates, made into one value by a pure function.
    public static func combined<each Part>(
        _ parts: repeat RowAggregate<Row, each Part>,
        into value: @escaping @Sendable (repeat each Part) -> Value
    ) -> Self {
        var measures: [RowMeasure<Row>] = []
        for part in repeat each parts { measures += part.measures }
        return Self(measures: measures) { value(repeat (each parts).read(&$0)) }
    }

    /// What the results of its measures come to.
    package func value(of results: [RowResult<Row>]) -> Value {
        var results = results[...]
        return read(&results)
    }

    /// What rows come to that are in the order of their ids, found by looking at each: what is kept
    /// from changes must agree with this. O(n).
    package func value(ofRows rows: [Row]) -> Value {
        value(of: measures.map { $0.result(of: rows) })
    }
}

extension RowMeasure {
    /// Of rows that are equally least it is the first, of those equally greatest the last: values
    /// that are at one place of the order may have different texts, such as 0.0 and -0.0.
    fileprivate func result(of rows: [Row]) -> RowResult<Row> {
        switch self {
        case .count: .number(rows.count)
        case .sum(let field):
            .number(Int(clamping: rows.reduce(0 as Int128) { $0 + field.value($1).wholeNumber }))
        case .least(let field): .row(Self.best(of: rows, field) { $0 < $1 })
        case .greatest(let field): .row(Self.best(of: rows, field) { $0 >= $1 })
        }
    }

    private static func best(
        of rows: [Row], _ field: RowField<Row>, _ isBetter: (IndexValue, IndexValue) -> Bool
    ) -> Row? {
        var best: Row?
        for row in rows where field.value(row) != .none {
            if let known = best, !isBetter(field.value(row), field.value(known)) { continue }
            best = row
        }
        return best
    }
}

/// What is told of the rows of a query; see ``RowQuery/aggregate(_:)``.
public struct RowAggregation<Row: Identifiable & Sendable, Value>: Sendable
where Row.ID: TableKey {
    /// Its filters pick the rows.
    package let query: RowQuery<Row>
    /// The value of the query's rows, in the order of their ids.
    let evaluate: @Sendable ([Row]) -> Value
    /// What keeps the value from the rows that change; there are none yet.
    package let tally: @Sendable () -> any RowTally<Row, Value>

    /// The value, found by looking at every row of a table. O(n).
    package func value(of table: some RowsByID<Row>) -> Value {
        var rows: [Row] = []
        table.forEachRow { row, _ in if query.holds(for: row) { rows.append(row) } }
        return evaluate(rows)
    }
}

/// The aggregates of the rows that share a value of a field.
public struct RowGroup<
    Key: TableKey & Codable, Value: Codable & Equatable & Sendable
>: Identifiable, Codable, Equatable, Sendable {
    /// What the rows share.
    public let id: Key
    /// What is told of them.
    public let value: Value

    /// A group with a value.
    public init(id: Key, value: Value) {
        self.id = id
        self.value = value
    }
}

extension RowQuery where Row: Identifiable, Row.ID: TableKey {
    /// Asks for an aggregate of all rows that the query's filters pick; its order, limit and place
    /// aren't looked at.
    public func aggregate<Value>(
        _ aggregate: RowAggregate<Row, Value>
    ) -> RowAggregation<Row, Value> {
        let query = filtersOnly
        return RowAggregation(
            query: query, evaluate: { aggregate.value(ofRows: $0) },
            tally: { WholeTally(query, aggregate) })
    }

    /// Asks for an aggregate of each group of rows that share a value of a field, of those that the
    /// query's filters pick; its order, limit and place aren't looked at.
    ///
    /// ```swift
    /// static let columns = Selection("columns", aggregating: \Board.cards) { (team: String) in
    ///     RowQuery().where(\.team, is: team).aggregate(.count, groupedBy: \.column)
    /// }
    /// let count = store.state?[id: "todo"]?.value ?? 0
    /// ```
    /// A group is there as long as it has a row. A change is told of the groups whose rows have
    /// changed, and costs O(log g) each, of g groups. To group by anything but a key (a boolean, an
    /// optional, two fields), make a property of the row that is one.
    public func aggregate<Key: TableKey & Codable, Value: Codable & Equatable & Sendable>(
        _ aggregate: RowAggregate<Row, Value>, groupedBy field: any KeyPath<Row, Key> & Sendable
    ) -> RowAggregation<Row, Table<RowGroup<Key, Value>>> {
        let query = filtersOnly
        return RowAggregation(
            query: query,
            evaluate: { rows in
                var places = SortedTree<KeyOrder<Key>, Int>()
                var groups: [(key: Key, rows: [Row])] = []
                for row in rows {
                    let key = row[keyPath: field]
                    if let place = places[key] {
                        groups[place].rows.append(row)
                    } else {
                        places.update(groups.count, at: key)
                        groups.append((key, [row]))
                    }
                }
                return Table(
                    groups.map { RowGroup(id: $0.key, value: aggregate.value(ofRows: $0.rows)) })
            },
            tally: { GroupsTally(query, aggregate, groupedBy: field) })
    }

    private var filtersOnly: Self {
        var query = Self()
        query.filters = filters
        query.predicate = predicate
        return query
    }
}

/// A selection of aggregates, as the server keeps it up to date: from the rows that changed.
package struct AggregateSelection<
    State, Parameters, Rows: RowsByID, Value: Codable & Equatable & Sendable
>: SelectionUpkeep where Rows.Row: Codable & Equatable & Sendable {
    package let table: any KeyPath<State, Rows> & Sendable
    package let wanted: @Sendable (Parameters, Identity) -> RowAggregation<Rows.Row, Value>
}

extension Selection {
    /// What is told of the rows of a table that a query picks: their number, sums, least and
    /// greatest values, also by group; see ``RowAggregate``.
    ///
    /// ```swift
    /// static let open = Selection("open", aggregating: \Board.cards) { (team: String) in
    ///     RowQuery().where(\.team, is: team).where(\.isDone, is: false).aggregate(.count)
    /// }
    /// ```
    /// A change costs nothing for the selections whose query compares fields with other values. A
    /// range or a function of one's own is asked of each changed row for each such query in use.
    /// The first subscription looks at the rows that the query picks, and if none in use compares
    /// the same fields, at all.
    public init<Row: Codable & Equatable & Sendable & Identifiable>(
        _ name: String, aggregating table: any KeyPath<State, Table<Row>> & Sendable,
        _ aggregation: @escaping @Sendable (Parameters) -> RowAggregation<Row, Value>
    ) where Row.ID: TableKey {
        self.init(name, toldOf: table) { parameters, _ in aggregation(parameters) }
        dependsOnViewer = false
    }

    /// What is told of the rows of an ordered table that a query picks. A row that only moves
    /// changes nothing.
    public init<Row: Codable & Equatable & Sendable & Identifiable>(
        _ name: String, aggregating table: any KeyPath<State, OrderedTable<Row>> & Sendable,
        _ aggregation: @escaping @Sendable (Parameters) -> RowAggregation<Row, Value>
    ) where Row.ID: TableKey {
        self.init(name, toldOf: table) { parameters, _ in aggregation(parameters) }
        dependsOnViewer = false
    }

    /// What is told of the rows of a table that a query picks, which depends on the viewer.
    ///
    /// Where the query says `where(\.owner, is: viewer.id)`, an index finds whom a changed row
    /// concerns.
    public init<Row: Codable & Equatable & Sendable & Identifiable>(
        _ name: String, aggregating table: any KeyPath<State, Table<Row>> & Sendable,
        _ aggregation: @escaping @Sendable (Parameters, Identity) -> RowAggregation<Row, Value>
    ) where Row.ID: TableKey {
        self.init(name, toldOf: table, aggregation)
    }

    /// What is told of the rows of an ordered table that a query picks, which depends on the
    /// viewer.
    public init<Row: Codable & Equatable & Sendable & Identifiable>(
        _ name: String, aggregating table: any KeyPath<State, OrderedTable<Row>> & Sendable,
        _ aggregation: @escaping @Sendable (Parameters, Identity) -> RowAggregation<Row, Value>
    ) where Row.ID: TableKey {
        self.init(name, toldOf: table, aggregation)
    }

    private init<Rows: RowsByID>(
        _ name: String, toldOf table: any KeyPath<State, Rows> & Sendable,
        _ aggregation: @escaping @Sendable (Parameters, Identity) -> RowAggregation<Rows.Row, Value>
    ) where Rows.Row: Codable & Equatable & Sendable {
        self.init(name) { (state: State, parameters: Parameters, viewer: Identity) in
            aggregation(parameters, viewer).value(of: state[keyPath: table])
        }
        upkeep = AggregateSelection(table: table, wanted: aggregation)
    }
}
