import StorecastSync
import StorecastTables

extension SelectionFinders {
    /// That of the selections of one table.
    func table<Rows: RowsByID>(
        _ path: any KeyPath<State, Rows> & Sendable, in state: State
    ) -> TableViews<State, Rows> {
        finder(where: { $0.path == path }, or: { TableViews(path, state) })
    }
}

/// The selections in use of one table: finds those that a turn concerns from the rows that changed.
///
/// What a turn costs follows the number of changed rows and of the selections that they concern,
/// not the number of rows or of selections.
final class TableViews<State, Rows: RowsByID>: SelectionFinder
where Rows.Row: Codable & Equatable & Sendable {
    typealias Row = Rows.Row

    let path: any KeyPath<State, Rows> & Sendable
    /// The rows as the selections have them.
    private(set) var table: Rows
    /// In the order in which they were made, but for those that took the place of one that went.
    private var indices: [RowIndex<State, Rows>] = []
    private var shared: [RowPlan<Row>.Shape: RowIndex<State, Rows>] = [:]
    /// Those that nobody watches, and since which round, the first that was left first: kept for a
    /// while, as making one takes long.
    private var idle: [(index: RowIndex<State, Rows>, since: UInt64)] = []
    /// Those that are told of a row by its id.
    private var rows = SortedTree<KeyOrder<Row.ID>, RowWatchers<TableSource<State, Rows>>>()
    private var lastNumber: UInt64 = 0
    /// How often it has gone on.
    private var round: UInt64 = 0
    /// How many pages of other tables look up rows here, if they name any.
    var joins = 0

    init(_ path: any KeyPath<State, Rows> & Sendable, _ state: State) {
        self.path = path
        table = state[keyPath: path]
    }

    var isEmpty: Bool { rows.isEmpty && indices.isEmpty && joins == 0 }

    // MARK: Changes

    func advance(
        to state: State, _ changed: (any ToldSource<State>) throws -> Void
    ) rethrows {
        let old = table
        table = state[keyPath: path]
        var concerned: [TableSource<State, Rows>] = []
        round += 1
        if let oldest = idle.first, round - oldest.since > Self.idleRounds { dropOldest() }
        for change in changes(from: old) {
            let tell = { [round] (source: TableSource<State, Rows>) in
                if source.tell(change, in: round) { concerned.append(source) }
            }
            if change.isOther { rows[change.id]?.forEach(tell) }
            for index in indices { index.apply(change, tell) }
        }
        for source in concerned { try changed(source.audience) }
    }

    /// What is different from what `old` had. Not by `==`, which takes texts for equal that have
    /// other bytes.
    func changes(from old: Rows) -> [RowChange<Row>] {
        table.rowChanges(from: old) { _, _ in false }
    }

    // MARK: Selections in use

    /// Gives a source its number, once, before it is told of rows by their ids.
    func attach(_ source: TableSource<State, Rows>) {
        lastNumber += 1
        source.number = lastNumber
    }

    func add(_ source: TableSource<State, Rows>, at id: Row.ID) {
        if let list = rows[id] { return list.add(source, source.number) }
        rows.update(RowWatchers(source), at: id)
    }

    func remove(_ source: TableSource<State, Rows>, at id: Row.ID) {
        guard let list = rows[id] else { return }
        list.remove(source, source.number)
        if list.isEmpty { rows.remove(id) }
    }

    /// The index that answers a query; made if there is none. O(n log n) then.
    func index(for plan: RowPlan<Row>) -> RowIndex<State, Rows> {
        let shape = plan.shape
        if let shape, let known = shared[shape] { return known }
        let index = RowIndex<State, Rows>(plan, of: table)
        index.place = indices.count
        indices.append(index)
        if let shape { shared[shape] = index }
        return index
    }

    private static var mostIdle: Int { 4 }
    private static var idleRounds: UInt64 { 1000 }

    /// One watcher less: an index that nobody watches is dropped, sooner or later.
    func leave(_ index: RowIndex<State, Rows>) {
        guard index.watchers == 0, indices[index.place] === index else { return }
        guard index.plan.shape != nil else { return drop(index) }
        idle.removeAll { $0.index === index || $0.index.watchers > 0 }
        idle.append((index, round))
        if idle.count > Self.mostIdle { dropOldest() }
    }

    func forgetIdle() {
        while !idle.isEmpty { dropOldest() }
    }

    private func dropOldest() {
        let index = idle.removeFirst().index
        if index.watchers == 0 { drop(index) }
    }

    private func drop(_ index: RowIndex<State, Rows>) {
        if let shape = index.plan.shape { shared[shape] = nil }
        let last = indices.removeLast()
        guard last !== index else { return }
        last.place = index.place
        indices[last.place] = last
    }
}
