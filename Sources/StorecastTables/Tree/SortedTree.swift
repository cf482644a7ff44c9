public import Synchronization

/// A dictionary in the order of its keys: a persistent B+ tree.
///
/// A copy costs O(1) and shares all nodes with the original. A change copies those on the way to
/// the entry, O(log n), and none if no other version has them. Versions that share nodes are
/// compared in time proportional to what differs: ``changes(from:isEqual:)``.
@usableFromInline package struct SortedTree<Order: TreeOrder, Value> {
    @usableFromInline package typealias Key = Order.Key
    @usableFromInline package typealias Element = (key: Key, value: Value)

    /// Nil if there are no entries.
    @usableFromInline var root: TreeNode<Order, Value>?
    /// The number of entries.
    @usableFromInline package internal(set) var count = 0

    /// A tree without entries.
    @inlinable package init() {}

    @inlinable package var isEmpty: Bool { root == nil }

    /// The value of a key. O(log n).
    @inlinable package subscript(key: Key) -> Value? {
        withLeaf(of: key) { leaf in
            let slot = leaf.slot(of: key)
            return leaf.hasKey(key, at: slot) ? leaf.values[slot] : nil
        } ?? nil
    }

    /// O(log n).
    @inlinable package func contains(_ key: Key) -> Bool {
        withLeaf(of: key) { $0.hasKey(key, at: $0.slot(of: key)) } ?? false
    }

    /// Calls `use` with the leaf that has a key, if any has; nil if there is no leaf.
    ///
    /// The tree holds all nodes while this looks, so they needn't be retained one by one.
    @inlinable func withLeaf<R>(of key: Key, _ use: (TreeNode<Order, Value>) -> R) -> R? {
        guard let root else { return nil }
        return withExtendedLifetime(root) {
            var node = Unmanaged.passUnretained(root)
            while let next = node._withUnsafeGuaranteedRef({ $0.child(of: key) }) { node = next }
            return node._withUnsafeGuaranteedRef(use)
        }
    }

    /// Sets the value of a key, and returns the one that it had. O(log n).
    @discardableResult
    @inlinable package mutating func update(_ value: consuming Value, at key: Key) -> Value? {
        guard root != nil else {
            (root, count) = (TreeNode(keys: [key], values: [value]), 1)
            return nil
        }
        var growth = 0
        let old = TreeNode.set(key, to: value, in: &root!, growth: &growth)
        guard case .none = old else { return old }
        count += 1
        if let full = root, full.fill >= Order.capacity {
            precondition(full.height < TreeWay.longest, "The tree is too high")
            root = TreeNode(
                keys: [], children: [full], counts: [count], height: full.height + 1)
            root!.divideChild(at: 0, growth: growth)
        }
        return nil
    }

    /// Removes an entry, and returns its value. O(log n).
    @discardableResult
    @inlinable package mutating func remove(_ key: Key) -> Value? {
        guard let way = way(to: key) else { return nil }
        return remove(at: way)
    }

    @inlinable mutating func remove(at way: TreeWay) -> Value? {
        let old = TreeNode.remove(at: way, from: &root!)
        count -= 1
        if count == 0 { root = nil }
        if let top = root, !top.isLeaf, top.children.count == 1 { root = top.children[0] }
        return old
    }

    /// The way to an entry that is there.
    @inlinable func way(to key: Key) -> TreeWay? {
        guard let root else { return nil }
        var way = TreeWay()
        let isThere = withExtendedLifetime(root) {
            var node = Unmanaged.passUnretained(root)
            while let next = node._withUnsafeGuaranteedRef({ $0.child(of: key, &way) }) {
                node = next
            }
            return node._withUnsafeGuaranteedRef { leaf in
                way[0] = leaf.slot(of: key)
                return leaf.hasKey(key, at: way[0])
            }
        }
        return isThere ? way : nil
    }
}

extension SortedTree: Sendable where Key: Sendable, Value: Sendable {}

// MARK: - Changes in place

extension SortedTree {
    /// Where a value was taken from.
    @usableFromInline struct Place {
        @usableFromInline let leaf: TreeNode<Order, Value>
        @usableFromInline let way: TreeWay

        @inlinable init(leaf: TreeNode<Order, Value>, way: TreeWay) {
            (self.leaf, self.way) = (leaf, way)
        }
    }

    /// Takes a value out, so that the caller has the one reference to what is in it. Until it is
    /// put back with ``put(_:back:)``, or its entry is removed with ``removeTaken(from:)``, the
    /// tree isn't used. O(log n).
    @inlinable mutating func take(_ key: Key) -> (Place, Value)? {
        guard let way = way(to: key) else { return nil }
        let leaf = Self.uniqueLeaf(at: way, in: &root!)
        leaf.values.swapAt(way[0], leaf.values.count - 1)
        return (Place(leaf: leaf, way: way), leaf.values.removeLast())
    }

    @inlinable func put(_ value: consuming Value, back place: Place) {
        place.leaf.values.append(value)
        place.leaf.values.swapAt(place.way[0], place.leaf.values.count - 1)
    }

    @inlinable mutating func removeTaken(from place: consuming Place) {
        let way = place.way
        if way[0] < place.leaf.values.count {
            let last = place.leaf.values.remove(at: way[0])
            place.leaf.values.append(last)
        }
        _ = consume place
        _ = remove(at: way)
    }

    @inlinable static func uniqueLeaf(
        at way: TreeWay, in node: inout TreeNode<Order, Value>
    ) -> TreeNode<Order, Value> {
        TreeNode.makeUnique(&node)
        if node.isLeaf { return node }
        return uniqueLeaf(at: way, in: &node.children[way[node.height]])
    }
}

// MARK: - Positions

extension SortedTree {
    /// The number of entries before `key`, which needn't have one itself. O(log n).
    @inlinable package func position(of key: Key) -> Int {
        guard var node = root else { return 0 }
        var position = 0
        while !node.isLeaf {
            let slot = node.childSlot(of: key)
            for before in 0..<slot { position += node.counts[before] }
            node = node.children[slot]
        }
        return position + node.slot(of: key)
    }

    /// The entry at a position, from 0 to the last. O(log n).
    @inlinable package subscript(position position: Int) -> Element {
        precondition((0..<count).contains(position), "There is no entry at position \(position)")
        var (node, rest) = (root!, position)
        while !node.isLeaf {
            var slot = 0
            while rest >= node.counts[slot] {
                rest -= node.counts[slot]
                slot += 1
            }
            node = node.children[slot]
        }
        return (node.keys[rest], node.values[rest])
    }
}

// MARK: - Made at once

extension SortedTree {
    /// A tree of entries whose keys are in order, each once. O(n).
    @inlinable package init(sortedKeys keys: ContiguousArray<Key>, values: ContiguousArray<Value>) {
        precondition(keys.count == values.count)
        guard !keys.isEmpty else { return }
        var firsts: ContiguousArray<Key> = []
        var nodes: ContiguousArray<TreeNode<Order, Value>> = []
        for part in Self.parts(of: keys.count) {
            firsts.append(keys[part.lowerBound])
            nodes.append(
                TreeNode(keys: ContiguousArray(keys[part]), values: ContiguousArray(values[part])))
        }
        while nodes.count > 1 {
            let parts = Self.parts(of: nodes.count)
            let height = nodes[0].height + 1
            nodes = ContiguousArray(
                parts.map { part in
                    TreeNode(
                        keys: ContiguousArray(firsts[part].dropFirst()),
                        children: ContiguousArray(nodes[part]),
                        counts: ContiguousArray(nodes[part].map(\.count)), height: height)
                })
            firsts = ContiguousArray(parts.map { firsts[$0.lowerBound] })
        }
        (root, count) = (nodes[0], keys.count)
    }

    /// Divides `0..<count` evenly into as few parts as leave each node some room.
    @inlinable static func parts(of count: Int) -> [Range<Int>] {
        let fill = Order.capacity * 3 / 4
        let number = (count + fill - 1) / fill
        return (0..<number).map { (count * $0 / number)..<(count * ($0 + 1) / number) }
    }

    /// A tree of entries in any order; of two with one key the later counts. O(n log n), O(n) if
    /// they are in order already.
    @inlinable package init(_ entries: [Element]) {
        var entries = entries
        // Stable, and O(n) if they are in order: the standard library says so.
        entries.sort { Order.isOrdered($0.key, before: $1.key) }
        var (keys, values): (ContiguousArray<Key>, ContiguousArray<Value>) = ([], [])
        keys.reserveCapacity(entries.count)
        values.reserveCapacity(entries.count)
        for (key, value) in entries {
            if let last = keys.last, !Order.isOrdered(last, before: key) {
                values[values.count - 1] = value
            } else {
                keys.append(key)
                values.append(value)
            }
        }
        self.init(sortedKeys: keys, values: values)
    }
}

// MARK: - Leaves

/// The entries of one leaf, in order.
@usableFromInline package struct TreeLeaf<Order: TreeOrder, Value> {
    @usableFromInline let node: TreeNode<Order, Value>

    @inlinable init(_ node: TreeNode<Order, Value>) { self.node = node }

    @inlinable package var keys: ContiguousArray<Order.Key> { node.keys }
    @inlinable package var values: ContiguousArray<Value> { node.values }

    /// What was made from the entries of the leaf, such as their text: made once for all versions
    /// and threads that share the leaf, and dropped with any change of it.
    ///
    /// Of several threads that make it together, one's is kept. A leaf keeps one note: if another
    /// type's is there already, the new one is returned and not kept.
    @inlinable package func note<Note: AnyObject & Sendable>(_ make: () throws -> Note) rethrows
        -> Note
    {
        if let kept = node.note.load(ordering: .acquiring) {
            return try kept.takeUnretainedValue() as? Note ?? make()
        }
        let made = try make()
        let reference = Unmanaged<AnyObject>.passRetained(made)
        let (isFirst, kept) = node.note.compareExchange(
            expected: nil, desired: reference, ordering: .acquiringAndReleasing)
        if isFirst { return made }
        reference.release()
        return kept?.takeUnretainedValue() as? Note ?? made
    }
}
