/// A place between two entries of a tree, that can be moved either way.
///
/// It keeps its version of the tree. A step costs O(1), amortised, a new cursor O(log n).
@usableFromInline package struct TreeCursor<Order: TreeOrder, Value> {
    @usableFromInline package typealias Element = SortedTree<Order, Value>.Element

    /// The inner nodes above the leaf, each with the place of the child that leads to it.
    @usableFromInline var path: ContiguousArray<(node: TreeNode<Order, Value>, slot: Int)> = []
    @usableFromInline var leaf: TreeNode<Order, Value>?
    /// The number of the leaf's entries that are before the cursor.
    @usableFromInline var slot = 0

    /// Before the first entry whose key isn't before `key`.
    @inlinable init(_ tree: SortedTree<Order, Value>, at key: Order.Key) {
        guard var node = tree.root else { return }
        while !node.isLeaf { node = enter(node, at: node.childSlot(of: key)) }
        (leaf, slot) = (node, node.slot(of: key))
    }

    /// After so many entries.
    @inlinable init(_ tree: SortedTree<Order, Value>, position: Int) {
        guard var node = tree.root else { return }
        var rest = position
        while !node.isLeaf {
            var slot = 0
            while rest > node.counts[slot] {
                rest -= node.counts[slot]
                slot += 1
            }
            node = enter(node, at: slot)
        }
        (leaf, slot) = (node, rest)
    }

    @inlinable mutating func enter(
        _ node: TreeNode<Order, Value>, at slot: Int
    ) -> TreeNode<Order, Value> {
        path.append((node, slot))
        return node.children[slot]
    }

    /// The entry after the cursor, which moves behind it; nil at the end.
    @inlinable package mutating func next() -> Element? {
        guard var leaf else { return nil }
        if slot == leaf.keys.count {
            guard let following = neighbour(by: 1) else { return nil }
            (leaf, self.leaf, slot) = (following, following, 0)
        }
        defer { slot += 1 }
        return (leaf.keys[slot], leaf.values[slot])
    }

    /// The entry before the cursor, which moves in front of it; nil at the start.
    @inlinable package mutating func previous() -> Element? {
        guard var leaf else { return nil }
        if slot == 0 {
            guard let preceding = neighbour(by: -1) else { return nil }
            (leaf, self.leaf, slot) = (preceding, preceding, preceding.keys.count)
        }
        slot -= 1
        return (leaf.keys[slot], leaf.values[slot])
    }

    /// Moves the path to the leaf beside its own; nil, and it stays, if there is none.
    @inlinable mutating func neighbour(by step: Int) -> TreeNode<Order, Value>? {
        func canStep(_ place: (node: TreeNode<Order, Value>, slot: Int)) -> Bool {
            place.node.children.indices.contains(place.slot + step)
        }
        guard let branch = path.lastIndex(where: canStep) else { return nil }
        path.removeSubrange((branch + 1)...)
        path[branch].slot += step
        var node = path[branch].node.children[path[branch].slot]
        while !node.isLeaf { node = enter(node, at: step > 0 ? 0 : node.children.count - 1) }
        return node
    }
}

extension SortedTree {
    /// A cursor before the first entry whose key isn't before `key`. O(log n).
    @inlinable package func cursor(at key: Key) -> TreeCursor<Order, Value> {
        TreeCursor(self, at: key)
    }

    /// A cursor after so many entries, from 0 to ``count``. O(log n).
    @inlinable package func cursor(position: Int) -> TreeCursor<Order, Value> {
        precondition((0...count).contains(position), "There is no position \(position)")
        return TreeCursor(self, position: position)
    }
}

extension SortedTree: Sequence {
    /// The entries in order.
    @usableFromInline package struct Iterator: IteratorProtocol {
        @usableFromInline var cursor: TreeCursor<Order, Value>

        @inlinable init(_ cursor: TreeCursor<Order, Value>) { self.cursor = cursor }

        @inlinable package mutating func next() -> Element? { cursor.next() }
    }

    @inlinable package func makeIterator() -> Iterator { Iterator(cursor(position: 0)) }

    @inlinable package var underestimatedCount: Int { count }
}
