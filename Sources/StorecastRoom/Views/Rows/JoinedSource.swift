import StorecastSync
import StorecastTables
import StorecastWire

extension JoinedSelection: ToldSelection {
    package func source(
        _ parameters: Parameters, _ viewer: Identity, _ state: State,
        _ finders: SelectionFinders<State>
    ) throws -> any ToldSource<State> {
        guard case .page(let query) = pages.wanted else {
            preconditionFailure("Only pages are joined.")
        }
        return JoinedSource(
            try RowPlan(checking: query(parameters, viewer), Rows.self), join, state,
            rows: { [pages] state in finders.table(pages.table, in: state) },
            others: { [join] state in finders.table(join.table, in: state) })
    }
}

/// The rows that a query asks for, each with the row of another table that it names.
final class JoinedSource<
    State, Rows: RowsByID, Others: RowsByID, Joined: Codable & Equatable & Sendable
>: PageSource<State, Rows>
where
    Rows.Row: Codable & Equatable & Sendable, Others.Row: Codable & Equatable & Sendable
{
    private let join: RowJoin<State, Row, Others, Joined>
    private let others: LookedUpRows<State, Others>

    init(
        _ plan: RowPlan<Row>, _ join: RowJoin<State, Row, Others, Joined>, _ state: State,
        rows: @escaping (State) -> TableViews<State, Rows>,
        others: @escaping (State) -> TableViews<State, Others>
    ) {
        self.join = join
        self.others = LookedUpRows(state, others)
        super.init(plan, state, rows)
        self.others.page = self
    }

    override func attach() {
        super.attach()
        others.attach()
        lookUp()
    }

    override func detach() {
        super.detach()
        others.detach()
    }

    override func gatherChanges() {
        super.gatherChanges()
        others.gatherChanges()
    }

    override func takeChanges(in state: State) {
        super.takeChanges(in: state)
        others.takeChanges(in: state)
    }

    override func forgetChanges() {
        super.forgetChanges()
        others.forgetChanges()
    }

    override func difference() throws -> (JSONPatch, growth: Int) {
        let mayNameOthers = isMoved || !changes.isEmpty
        defer { if isAttached, mayNameOthers { lookUp() } }
        return try super.difference()
    }

    /// Is told of the rows that the shown ones name, and of no others.
    private func lookUp() {
        others.watch(ids.compactMap { views.table[id: $0].flatMap(join.field) })
    }

    /// Beside those that changed, the rows that name one that did.
    override var changesInRows: [RowChange<Row>] {
        if others.changes.isEmpty { return changes }
        let changed = SortedTree<KeyOrder<Row.ID>, Void>(changes.map { ($0.id, ()) })
        return changes
            + ids.compactMap { id in
                guard !changed.contains(id), let row = views.table[id: id],
                    let other = join.field(row), others.hasChanged(other)
                else { return nil }
                return RowChange(id: id, old: row, new: row)
            }
    }

    override func difference(
        from old: RowPage<Row>, to new: RowPage<Row>
    ) throws -> (patch: JSONPatch, growth: Int) {
        try JSONPatch.diff(
            encoding: join.joined(old, others.oldRow),
            join.joined(new) { others.views.table[id: $0] })
    }

    override func difference(from old: Row, to new: Row) throws -> (
        patch: JSONPatch, growth: Int
    ) {
        try JSONPatch.diff(
            encoding: join.joined(old, others.oldRow),
            join.joined(new) { others.views.table[id: $0] })
    }

    override func write(to writer: inout JSONWriter) throws {
        writer.write(
            try JSONCoding.encodeTree(join.joined(page) { others.views.table[id: $0] }))
    }
}

/// The rows of a table that a page of another looks up. They are the page's, which is asked when
/// they change.
private final class LookedUpRows<State, Rows: RowsByID>: TableSource<State, Rows>
where Rows.Row: Codable & Equatable & Sendable {
    unowned var page: (any ToldSource<State>)!
    private var ids = SortedTree<KeyOrder<Row.ID>, Void>()

    override var audience: any ToldSource<State> { page }

    override func attach() {
        super.attach()
        views.attach(self)
        views.joins += 1
    }

    override func detach() {
        super.detach()
        watch([])
        views.joins -= 1
    }

    /// Is told of these rows from now on, whether or not they are there.
    func watch(_ ids: [Row.ID]) {
        let old = self.ids
        self.ids = SortedTree(ids.map { ($0, ()) })
        for (id, _) in old where !self.ids.contains(id) { views.remove(self, at: id) }
        for (id, _) in self.ids where !old.contains(id) { views.add(self, at: id) }
    }

    /// Whether the row has changed, of those that it is told of.
    func hasChanged(_ id: Row.ID) -> Bool { change(of: id) != nil }
}
