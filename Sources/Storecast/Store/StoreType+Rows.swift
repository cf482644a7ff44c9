public import StorecastTables

extension StoreType {
    /// What changes in a table, change by change: first the rows that there are, then those that
    /// come, go or become others.
    ///
    /// ```swift
    /// for await changes in store.changes(of: \.cards) {
    ///     for change in changes { index.set(change.id, change.new?.title) }
    /// }
    /// ```
    ///
    /// Whoever applies all of them has the table. Nothing is missed: a slow reader gets several
    /// changes as one, which leads from the last version that it got to the newest. It subscribes,
    /// and ends, as `states(of:)` does.
    ///
    /// Complexity: O(c log n) for c changed rows, where the reader runs.
    ///
    /// - Parameters:
    ///   - path: leads to the table.
    ///   - old: the version that the reader has already.
    public func changes<Row: Sendable>(
        of path: KeyPath<State, Table<Row>>, since old: Table<Row> = Table()
    ) -> RowChanges<Table<Row>, TableChange<Row>> {
        RowChanges(states(of: path), since: old) { $0.changes(from: $1) }
    }

    /// What changes in an ordered table; rows that move are changes too. As for a table.
    public func changes<Row: Sendable>(
        of path: KeyPath<State, OrderedTable<Row>>, since old: OrderedTable<Row> = OrderedTable()
    ) -> RowChanges<OrderedTable<Row>, OrderedTableChange<Row>> {
        RowChanges(states(of: path), since: old) { $0.changes(from: $1) }
    }
}

/// The changes of a table's rows in a store, in the order of ids within each element: what
/// `changes(of:)` of a store returns.
///
/// It may be read on any actor, once.
public struct RowChanges<Rows: Sendable, Change>: AsyncSequence, Sendable {
    private let tables: AsyncStream<Rows>
    private let old: Rows
    private let changes: @Sendable (_ new: Rows, _ old: Rows) -> [Change]

    fileprivate init(
        _ tables: AsyncStream<Rows>, since old: Rows,
        _ changes: @escaping @Sendable (_ new: Rows, _ old: Rows) -> [Change]
    ) {
        (self.tables, self.old, self.changes) = (tables, old, changes)
    }

    /// Begins to read.
    public func makeAsyncIterator() -> Iterator {
        Iterator(tables: tables.makeAsyncIterator(), last: old, changes: changes)
    }

    /// Reads the changes.
    public struct Iterator: AsyncIteratorProtocol {
        fileprivate var tables: AsyncStream<Rows>.Iterator
        fileprivate var last: Rows
        fileprivate let changes: @Sendable (_ new: Rows, _ old: Rows) -> [Change]

        /// The rows that differ from the version before, at least one; nil if the store is gone.
        public mutating func next() async -> [Change]? {
            await next(isolation: #isolation)
        }

        /// The rows that differ from the version before, at least one; nil if the store is gone.
        public mutating func next(
            isolation actor: isolated (any Actor)?
        ) async -> [Change]? {
            while let new = await tables.next(isolation: actor) {
                let changes = changes(new, last)
                last = new
                if !changes.isEmpty { return changes }
            }
            return nil
        }
    }
}
