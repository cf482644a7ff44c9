import StorecastSync
import StorecastTables
import StorecastWire

extension AggregateSelection: ToldSelection {
    package func source(
        _ parameters: Parameters, _ viewer: Identity, _ state: State,
        _ finders: SelectionFinders<State>
    ) -> any ToldSource<State> {
        AggregateSource(wanted(parameters, viewer), state) { [table] state in
            finders.table(table, in: state)
        }
    }
}

/// What is told of the rows that a query picks.
final class AggregateSource<State, Rows: RowsByID, Value: Codable & Equatable & Sendable>:
    TableSource<State, Rows>
where Rows.Row: Codable & Equatable & Sendable {
    private let plan: RowPlan<Row>
    private let tally: any RowTally<Row, Value>
    private var index: RowIndex<State, Rows>
    private var isAttached = false

    /// Looks at the rows that the query picks: O(k log n).
    init(
        _ aggregation: RowAggregation<Row, Value>, _ state: State,
        _ find: @escaping (State) -> TableViews<State, Rows>
    ) {
        plan = RowPlan(aggregation.query, isRanked: Rows.isRanked)
        tally = aggregation.tally()
        index = find(state).index(for: plan)
        super.init(state, find)
        let rows = index.keys(in: index.span(of: plan).all).compactMap { key in
            key.id.flatMap { views.table[id: $0] }
        }
        tally.apply(rows.map { RowChange(id: $0.id, old: nil, new: $0) }, in: views.table)
    }

    override func attach() {
        super.attach()
        isAttached = true
        index.watch(self, of: plan)
    }

    override func detach() {
        super.detach()
        isAttached = false
        index.unwatch(self, of: plan)
        views.leave(index)
    }

    override func difference() throws -> (JSONPatch, growth: Int) {
        if !isAttached { index = views.index(for: plan) }
        let old = tally.value
        tally.apply(changes, in: views.table)
        return try JSONPatch.diff(encoding: old, tally.value)
    }

    override func write(to writer: inout JSONWriter) throws {
        writer.write(try JSONCoding.encodeTree(tally.value))
    }
}
