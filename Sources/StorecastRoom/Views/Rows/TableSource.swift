import StorecastSync
import StorecastTables
import StorecastWire

/// The value of a selection of rows.
///
/// While it is attached, ``TableViews`` collects the changes that concern it; ``update(_:)`` has
/// only these to look at.
class TableSource<State, Rows: RowsByID>: ToldSource
where Rows.Row: Codable & Equatable & Sendable {
    typealias Row = Rows.Row

    weak var group: SelectionGroup?
    var way: SelectionWay { .rows }
    /// Its number in what tells it of changes, an index or the table's views, while it does.
    final var number: UInt64 = 0
    /// What has changed since the last update and concerns the selection, in the order of the ids.
    var changes: [RowChange<Row>] = []
    /// What of it was there before the changes of `round`.
    private var earlier: [RowChange<Row>] = []
    private var round: UInt64 = 0
    private(set) var views: TableViews<State, Rows>
    private let find: (State) -> TableViews<State, Rows>
    /// The rows of the last update, while it isn't attached.
    private var table: Rows?

    /// - Parameter find: the table's views; those that there were before may be gone.
    init(_ state: State, _ find: @escaping (State) -> TableViews<State, Rows>) {
        self.find = find
        views = find(state)
        table = views.table
    }

    func attach() { table = nil }

    func detach() { table = views.table }

    /// The selection to ask for what has changed.
    var audience: any ToldSource<State> { self }

    /// Is told of a change, in the order of the ids, in a round of its views; of one maybe twice.
    ///
    /// - Returns: whether it is the first of the round.
    final func tell(_ change: RowChange<Row>, in round: UInt64) -> Bool {
        if round == self.round, let last = changes.last {
            if Row.ID.isOrdered(last.id, before: change.id) { changes.append(change) }
            return false
        }
        self.round = round
        if !changes.isEmpty { earlier = RowChange.merged(earlier, changes) }
        changes = [change]
        return true
    }

    final func update(_ state: State) throws -> ValueChange? {
        gatherChanges()
        takeChanges(in: state)
        defer { forgetChanges() }
        let (patch, growth) = try difference()
        return ValueChange(patch, growth: growth)
    }

    /// Has the changes of all rounds since the last update in one list.
    func gatherChanges() {
        if earlier.isEmpty { return }
        changes = RowChange.merged(earlier, changes)
        earlier = []
    }

    /// Finds what has changed, while it isn't attached.
    func takeChanges(in state: State) {
        guard let table else { return }
        views = find(state)
        changes = views.changes(from: table)
        self.table = views.table
    }

    func forgetChanges() { changes = [] }

    /// What leads from the old value to the one in ``views``, by ``changes``.
    func difference() throws -> (JSONPatch, growth: Int) {
        preconditionFailure("Every subclass overrides this.")
    }

    func write(to writer: inout JSONWriter) throws {
        preconditionFailure("Every subclass overrides this.")
    }

    /// The row that had the id before the changes.
    final func oldRow(_ id: Row.ID) -> Row? {
        if let change = change(of: id) { return change.old }
        return views.table[id: id]
    }

    final func change(of id: Row.ID) -> RowChange<Row>? {
        var (low, high) = (0, changes.count)
        while low < high {
            let middle = (low + high) / 2
            if Row.ID.isOrdered(changes[middle].id, before: id) {
                low = middle + 1
            } else {
                high = middle
            }
        }
        guard low < changes.count, !Row.ID.isOrdered(id, before: changes[low].id) else {
            return nil
        }
        return changes[low]
    }
}

extension RowChange {
    /// The changes of two steps, each in the order of the ids, as those of one.
    fileprivate static func merged(_ first: [RowChange], _ second: [RowChange]) -> [RowChange]
    where Row.ID: TableKey {
        if first.isEmpty { return second }
        var merged: [RowChange] = []
        merged.reserveCapacity(first.count + second.count)
        var rest = first[...]
        for change in second {
            while let next = rest.first, Row.ID.isOrdered(next.id, before: change.id) {
                merged.append(next)
                rest.removeFirst()
            }
            guard let before = rest.first, !Row.ID.isOrdered(change.id, before: before.id) else {
                merged.append(change)
                continue
            }
            rest.removeFirst()
            merged.append(
                RowChange(
                    id: change.id, old: before.old, new: change.new, oldRank: before.oldRank,
                    newRank: change.newRank, isOther: before.isOther || change.isOther))
        }
        return merged + rest
    }
}

extension RowSelection: ToldSelection {
    package func source(
        _ parameters: Parameters, _ viewer: Identity, _ state: State,
        _ finders: SelectionFinders<State>
    ) throws -> any ToldSource<State> {
        let find = { [table] (state: State) in finders.table(table, in: state) }
        switch wanted {
        case .row(let id): return RowSource(id(parameters), state, find)
        case .page(let query):
            let plan = try RowPlan(checking: query(parameters, viewer), Rows.self)
            return PageSource(plan, state, find)
        }
    }
}

extension RowPlan {
    /// Throws if the query's cursor isn't one of its places in such a table.
    init<Rows: RowsByID<Row>>(checking query: RowQuery<Row>, _ table: Rows.Type) throws(Rejection) {
        guard query.cursor == nil || query.place(isRanked: Rows.isRanked) != nil else {
            throw Rejection(
                .invalidParameters, "The cursor isn't a place of this query.",
                detail: "It is from a query with another order.")
        }
        self.init(query, isRanked: Rows.isRanked)
    }
}

/// One row of a table.
final class RowSource<State, Rows: RowsByID>: TableSource<State, Rows>
where Rows.Row: Codable & Equatable & Sendable {
    let id: Row.ID
    override var way: SelectionWay { .keyed }

    init(_ id: Row.ID, _ state: State, _ find: @escaping (State) -> TableViews<State, Rows>) {
        self.id = id
        super.init(state, find)
    }

    override func attach() {
        super.attach()
        views.attach(self)
        views.add(self, at: id)
    }

    override func detach() {
        super.detach()
        views.remove(self, at: id)
    }

    override func difference() throws -> (JSONPatch, growth: Int) {
        try JSONPatch.diff(encoding: oldRow(id), views.table[id: id])
    }

    override func write(to writer: inout JSONWriter) throws {
        writer.write(try JSONCoding.encodeTree(views.table[id: id]))
    }
}

/// The rows that a query asks for.
class PageSource<State, Rows: RowsByID>: TableSource<State, Rows>
where Rows.Row: Codable & Equatable & Sendable {
    let plan: RowPlan<Row>
    private var index: RowIndex<State, Rows>
    /// Those of the rows that are shown.
    private(set) final var ids: [Row.ID] = []
    /// All but the rows.
    private var frame: RowPage<Row>
    private var span = 0..<0
    private(set) final var isAttached = false
    /// The rows beside those that are shown; see ``RowIndex``.
    final var neighbours: [Row.ID] = []
    /// Whether there is no row before the page, or none behind it.
    final var isAtEnd = false
    /// Whether a change concerns more than what is in rows that are shown, and stay.
    final var isMoved = false

    init(
        _ plan: RowPlan<Row>, _ state: State, _ find: @escaping (State) -> TableViews<State, Rows>
    ) {
        self.plan = plan
        index = find(state).index(for: plan)
        frame = Self.none
        super.init(state, find)
        look()
    }

    private static var none: RowPage<Row> {
        RowPage(rows: [], count: nil, start: nil, end: nil, hasBefore: false, hasAfter: false)
    }

    override func attach() {
        super.attach()
        isAttached = true
        index.watch(self, showing: ids, in: span)
    }

    override func detach() {
        super.detach()
        isAttached = false
        index.unwatch(self, showing: ids)
        views.leave(index)
    }

    /// Looks up what is to be shown.
    private func look() {
        let (span, all) = index.span(of: plan)
        let keys = index.keys(in: span)
        self.span = span
        ids = keys.compactMap(\.id)
        frame.count = plan.query.isCounted ? all.count : nil
        frame.start = keys.first?.cursor(behind: plan.values.count)
        frame.end = keys.last?.cursor(behind: plan.values.count)
        frame.hasBefore = span.lowerBound > all.lowerBound
        frame.hasAfter = span.upperBound < all.upperBound
    }

    override func difference() throws -> (JSONPatch, growth: Int) {
        defer { isMoved = false }
        if isAttached, !isMoved, let difference = differenceInRows() { return difference }
        var old = frame
        old.rows = ids.compactMap { oldRow($0) }
        if isAttached {
            index.unwatch(self, showing: ids)
        } else {
            index = views.index(for: plan)
        }
        look()
        if isAttached { index.watch(self, showing: ids, in: span) }
        return try difference(from: old, to: page)
    }

    /// The same for a page whose rows stay where they are: nothing but the changed ones is encoded.
    ///
    /// Nil if that is no shorter, or fails: the whole page tells why.
    private func differenceInRows() -> (JSONPatch, growth: Int)? {
        let changes = changesInRows
        guard changes.count * 2 <= ids.count else { return nil }
        var (operations, growth): ([JSONPatch.Operation], Int) = ([], 0)
        for change in changes {
            guard let old = change.old, let new = change.new,
                let place = ids.firstIndex(where: { Row.ID.areSame($0, change.id) }),
                let difference = try? difference(from: old, to: new)
            else { return nil }
            operations += difference.patch.inside(["rows", "\(place)"]).operations
            growth += difference.growth
        }
        let patch = JSONPatch(operations)
        return patch.nestsTooDeeply ? nil : (patch, growth)
    }

    override func write(to writer: inout JSONWriter) throws {
        writer.write(try JSONCoding.encodeTree(page))
    }

    /// The changes of rows that are shown, while these stay where they are.
    var changesInRows: [RowChange<Row>] { changes }

    /// What leads from one page to another.
    func difference(
        from old: RowPage<Row>, to new: RowPage<Row>
    ) throws -> (patch: JSONPatch, growth: Int) { try JSONPatch.diff(encoding: old, new) }

    /// What leads from one version of a row to another.
    func difference(from old: Row, to new: Row) throws -> (patch: JSONPatch, growth: Int) {
        try JSONPatch.diff(encoding: old, new)
    }

    final var page: RowPage<Row> {
        var page = frame
        page.rows = ids.compactMap { views.table[id: $0] }
        return page
    }
}
