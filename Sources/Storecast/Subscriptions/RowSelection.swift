public import StorecastTables

// Subscriptions to single rows of a table. Those to one table are a node together: it asks the
// table what differs from the last version, and passes each row that does to its subscribers. So a
// change costs what it changes, whatever the number of subscribers.

extension Subscription {
    /// Selects a row of a table by its id; nil as long as there is none.
    ///
    /// ```swift
    /// store.subscribe(self) { $0.select(\.cards, id: "a") }
    /// ```
    ///
    /// Nothing is evaluated for this subscriber unless the row has changed: O(log n) for each row
    /// that an action changes, for all subscribers to rows of the table together. A key path such
    /// as `\.cards[id: "a"]` is evaluated after each action, for each of them. Directly after a
    /// filter it is as with the key path.
    public func select<Row>(
        _ table: KeyPath<State, Table<Row>>, id: Row.ID
    ) -> Subscription<Row?> {
        selectRow(of: table, id: id)
    }

    /// Selects a row of an ordered table by its id; nil as long as there is none. A subscriber
    /// isn't told where the row is.
    public func select<Row>(
        _ table: KeyPath<State, OrderedTable<Row>>, id: Row.ID
    ) -> Subscription<Row?> {
        selectRow(of: table, id: id)
    }

    private func selectRow<Rows: RowsByID>(
        of table: KeyPath<State, Rows>, id: Rows.Row.ID
    ) -> Subscription<Rows.Row?> {
        let rows = derivation.selecting(table)
        guard let selection = rows as? RootSelection<Rows> else {
            return deriving(rows.selecting { $0[id: id] })
        }
        return deriving(RowDerivation(of: selection, id: id))
    }
}

/// A row of a table in the root state.
final class RowDerivation<Rows: RowsByID>: Derivation<Rows.Row?> {
    private let rows: RootSelection<Rows>
    private let id: Rows.Row.ID

    init(of rows: RootSelection<Rows>, id: Rows.Row.ID) {
        (self.rows, self.id) = (rows, id)
    }

    override func connect(
        to connector: any Connector, stage: @escaping (Reading<Rows.Row?>) -> Void
    ) {
        connector.connect(id, of: rows, stage: stage)
    }
}

/// The rows of one table that are subscribed to.
final class RowsNode<Root, Rows: RowsByID>: SelectionNode<Root> {
    fileprivate let select: (Root) -> Rows
    /// By id; a dictionary would take ids for one that are equal as strings.
    private var nodes = SortedTree<KeyOrder<Rows.Row.ID>, RowNode<Root, Rows>>()
    /// Those with members that may be owed a row.
    private var dirtyNodes: [RowNode<Root, Rows>] = []
    /// The table when it was last evaluated.
    private var last: Rows?

    init(_ select: @escaping (Root) -> Rows) {
        self.select = select
    }

    /// The node of a row.
    func node(of id: Rows.Row.ID) -> RowNode<Root, Rows> {
        if let node = nodes[id] { return node }
        let node = RowNode(id, in: self)
        nodes.update(node, at: id)
        return node
    }

    /// Removes the node of a row; returns whether there are others.
    fileprivate func removeNode(of id: Rows.Row.ID) -> Bool {
        nodes.remove(id)
        return !nodes.isEmpty
    }

    /// Takes the table that a new subscriber's row is from.
    fileprivate func start(with root: Root) {
        if last == nil { last = select(root) }
    }

    override func evaluate(_ root: Root, version: UInt64) -> Bool {
        let rows = select(root)
        if let last {
            for change in rows.rowChanges(from: last) where change.isOther {
                if let node = nodes[change.id] { take(change.new, node, version) }
            }
        } else {
            for (id, node) in nodes { take(rows[id: id], node, version) }
        }
        last = rows
        return !dirtyNodes.isEmpty
    }

    private func take(_ row: Rows.Row?, _ node: RowNode<Root, Rows>, _ version: UInt64) {
        node.take(row, version: version)
        if node.isDirty { return }
        node.isDirty = true
        dirtyNodes.append(node)
    }

    override func collect(into due: inout [Entry]) {
        for node in dirtyNodes { node.collect(into: &due) }
    }

    /// Keeps everything: the table serves to compare, and rows that were not delivered yet are only
    /// evaluated again if they change again.
    override func releaseState() {}

    override func settle() {
        for node in dirtyNodes {
            node.isDirty = false
            node.settle()
        }
        dirtyNodes.removeAll(keepingCapacity: true)
    }
}

/// A row with its subscribers, which are offered it when it has changed.
final class RowNode<Root, Rows: RowsByID>: ValueNode<Root, Rows.Row?> {
    private let id: Rows.Row.ID
    private unowned let rows: RowsNode<Root, Rows>

    init(_ id: Rows.Row.ID, in rows: RowsNode<Root, Rows>) {
        (self.id, self.rows) = (id, rows)
        let select = rows.select
        super.init { select($0)[id: id] }
    }

    override var vacated: Node? { rows.removeNode(of: id) ? nil : rows }

    override func start(_ entry: Entry, root: Root, version: UInt64) {
        rows.start(with: root)
        super.start(entry, root: root, version: version)
    }
}
