extension SortedTree {
    /// The addresses of all nodes and of their arrays: a change in place leaves them as they are.
    package var memoryForTesting: Set<UnsafeRawPointer> {
        var found: Set<UnsafeRawPointer> = []
        func walk(_ node: TreeNode<Order, Value>) {
            found.insert(UnsafeRawPointer(Unmanaged.passUnretained(node).toOpaque()))
            node.keys.withUnsafeBytes { _ = $0.baseAddress.map { found.insert($0) } }
            node.values.withUnsafeBytes { _ = $0.baseAddress.map { found.insert($0) } }
            node.children.withUnsafeBytes { _ = $0.baseAddress.map { found.insert($0) } }
            node.children.forEach(walk)
        }
        if let root { walk(root) }
        return found
    }

    /// The number of nodes that this version doesn't share with another.
    package func nodesNotShared(with other: SortedTree) -> Int {
        nodes.subtracting(other.nodes).count
    }

    private var nodes: Set<ObjectIdentifier> {
        var found: Set<ObjectIdentifier> = []
        func walk(_ node: TreeNode<Order, Value>) {
            found.insert(ObjectIdentifier(node))
            node.children.forEach(walk)
        }
        if let root { walk(root) }
        return found
    }

    /// What is wrong with the tree: the fill of nodes, their heights, counts and order. Nil if all
    /// is well.
    package var fault: String? {
        guard let root else { return count == 0 ? nil : "no root, but \(count) entries" }
        if root.isLeaf ? root.keys.isEmpty : root.children.count < 2 { return "a root too small" }
        if root.count != count { return "\(root.count) entries are counted as \(count)" }
        return fault(in: root, isRoot: true, from: nil, to: nil)
    }

    private func fault(
        in node: TreeNode<Order, Value>, isRoot: Bool, from low: Key?, to high: Key?
    ) -> String? {
        if node.fill >= Order.capacity { return "a full node" }
        if !isRoot, node.fill < Order.capacity / 4 { return "a node with only \(node.fill)" }
        let isSorted = zip(node.keys, node.keys.dropFirst()).allSatisfy {
            Order.isOrdered($0, before: $1)
        }
        if !isSorted { return "keys out of order" }
        if let low, let first = node.keys.first, Order.isOrdered(first, before: low) {
            return "a key before its node"
        }
        if let high, let last = node.keys.last, !Order.isOrdered(last, before: high) {
            return "a key after its node"
        }
        if node.isLeaf { return node.keys.count == node.values.count ? nil : "keys without values" }
        if node.keys.count != node.children.count - 1 { return "not one key between two children" }
        for (slot, child) in node.children.enumerated() {
            if child.height != node.height - 1 { return "leaves at several heights" }
            if child.count != node.counts[slot] { return "a wrong count" }
            if let fault = fault(
                in: child, isRoot: false, from: slot == 0 ? low : node.keys[slot - 1],
                to: slot == node.keys.count ? high : node.keys[slot])
            {
                return fault
            }
        }
        return nil
    }
}

extension SortedTree {
    /// Calls `visit` with each leaf, in order.
    package func forEachLeaf(_ visit: (TreeLeaf<Order, Value>) throws -> Void) rethrows {
        func walk(_ node: TreeNode<Order, Value>) throws {
            if node.isLeaf { return try visit(TreeLeaf(node)) }
            for child in node.children { try walk(child) }
        }
        if let root { try walk(root) }
    }
}
