import StorecastTables

/// What makes two subscribers share an evaluation: equal key paths, and the same use of the value.
struct SelectionKey: Hashable {
    enum Use {
        /// Offered after every change of the state.
        case always
        /// Offered when it has changed.
        case withoutRepeats
        /// Passed on to the subscribers of a scope.
        case scope
        /// A table, whose rows are passed on to their subscribers.
        case rows
    }

    let path: AnyKeyPath
    let use: Use
}

/// Connects one subscriber to the selection that it shares with others.
final class ListConnector<Root>: Connector {
    private let list: SubscriptionList<Root>
    private let entry: Entry
    /// The selection that the subscriber has joined.
    private(set) var node: SelectionNode<Root>?

    init(list: SubscriptionList<Root>, entry: Entry) {
        self.list = list
        self.entry = entry
    }

    func connect<Value>(
        _ selection: RootSelection<Value>, stage: @escaping (Reading<Value>) -> Void
    ) {
        let node = list.node(for: selection.sharedPath, use: .always) {
            ValueNode<Root, Value>(selection.evaluator(from: Root.self))
        }
        node.join(entry, stage: stage)
        self.node = node
    }

    func connectSkippingRepeats<Value: Equatable>(
        _ selection: RootSelection<Value>, stage: @escaping (Reading<Value>) -> Void
    ) {
        let node = list.node(for: selection.sharedPath, use: .withoutRepeats) {
            DistinctNode<Root, Value>(selection.evaluator(from: Root.self))
        }
        node.join(entry, stage: stage)
        self.node = node
    }

    func connect<Rows: RowsByID>(
        _ id: Rows.Row.ID, of rows: RootSelection<Rows>,
        stage: @escaping (Reading<Rows.Row?>) -> Void
    ) {
        let table = list.node(for: rows.sharedPath, use: .rows) {
            RowsNode<Root, Rows>(rows.evaluator(from: Root.self))
        }
        let node = table.node(of: id)
        node.join(entry, stage: stage)
        self.node = node
    }

    func whenDelivered(_ commit: @escaping () -> Void) -> Bool {
        entry.commits.append(commit)
        return true
    }
}

extension SubscriptionList {
    /// The node of a selection: the shared one if there is one, otherwise what `make` returns.
    func node<Selection: SelectionNode<State>>(
        for path: AnyKeyPath?, use: SelectionKey.Use, make: () -> Selection
    ) -> Selection {
        let key = path.map { SelectionKey(path: $0, use: use) }
        if let key, let shared = sharedNodes[key] as? Selection {
            return shared
        }
        let node = make()
        node.key = key
        node.index = nodes.count
        nodes.append(node)
        if let key {
            sharedNodes[key] = node
        }
        if isEmpty {
            isEmpty = false
            link?.attach()
        }
        return node
    }

    /// Removes a node that has no subscribers any more. O(1).
    func removeNode(_ node: Node) {
        if let key = node.key { sharedNodes[key] = nil }
        let last = nodes.removeLast()
        if last !== node {
            nodes[node.index] = last
            last.index = node.index
        }
        if nodes.isEmpty {
            // Nobody is owed a value any more, and no round would clear these.
            dirtyNodes.removeAll()
            isEmpty = true
            link?.detach()
        }
    }
}
