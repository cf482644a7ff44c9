/// An entry that differs between two versions of a tree: inserted if there is no old value, removed
/// if there is no new one.
@usableFromInline package struct TreeChange<Key, Value> {
    @usableFromInline package let key: Key
    @usableFromInline package let old: Value?
    @usableFromInline package let new: Value?

    @inlinable init(key: Key, old: Value?, new: Value?) {
        (self.key, self.old, self.new) = (key, old, new)
    }
}

/// The entries that differ between two versions of a tree, found one after another.
///
/// Both versions are walked together, and a node that both have is passed over. O(log n) for each
/// change, in versions that come from one another; O(n) for trees that share nothing.
@usableFromInline package struct TreeChanges<Order: TreeOrder, Value>: Sequence, IteratorProtocol {
    @usableFromInline package typealias Element = TreeChange<Order.Key, Value>

    @usableFromInline var old: Rest
    @usableFromInline var new: Rest
    @usableFromInline let isEqual: (Value, Value) -> Bool

    @inlinable init(
        from old: SortedTree<Order, Value>, to new: SortedTree<Order, Value>,
        isEqual: @escaping (Value, Value) -> Bool
    ) {
        (self.old, self.new, self.isEqual) = (Rest(old.root), Rest(new.root), isEqual)
    }

    @inlinable package mutating func next() -> Element? {
        while true {
            guard let left = old.first else {
                return new.isEmpty ? nil : new.takeEntry { Element(key: $0, old: nil, new: $1) }
            }
            guard let right = new.first else {
                return old.takeEntry { Element(key: $0, old: $1, new: nil) }
            }
            if left.isLeaf, right.isLeaf {
                if let change = nextInLeaves(left, right) { return change }
            } else if left.height == right.height {
                Rest.open(&old, &new)
            } else if left.height > right.height {
                old.open()
            } else {
                new.open()
            }
        }
    }

    /// The next change before one of two leaves ends.
    @inlinable mutating func nextInLeaves(
        _ left: TreeNode<Order, Value>, _ right: TreeNode<Order, Value>
    ) -> Element? {
        if left === right, old.slot == new.slot {
            old.dropFirst()
            new.dropFirst()
            return nil
        }
        defer {
            if old.slot == left.keys.count { old.dropFirst() }
            if new.slot == right.keys.count { new.dropFirst() }
        }
        while old.slot < left.keys.count, new.slot < right.keys.count {
            let (here, there) = (old.slot, new.slot)
            if !hasSameBits(left.keys, here, right.keys, there) {
                let (key, other) = (left.keys[here], right.keys[there])
                if Order.isOrdered(key, before: other) {
                    old.slot += 1
                    return Element(key: key, old: left.values[here], new: nil)
                }
                if Order.isOrdered(other, before: key) {
                    new.slot += 1
                    return Element(key: other, old: nil, new: right.values[there])
                }
            }
            old.slot += 1
            new.slot += 1
            if hasSameBits(left.values, here, right.values, there) { continue }
            let (value, other) = (left.values[here], right.values[there])
            if !isEqual(value, other) {
                return Element(key: right.keys[there], old: value, new: other)
            }
        }
        return nil
    }

    /// What is still to be visited of one version.
    @usableFromInline struct Rest {
        /// The first is last. Of the first, if it is a leaf, `slot` entries were visited.
        @usableFromInline var nodes: ContiguousArray<TreeNode<Order, Value>> = []
        @usableFromInline var slot = 0

        @inlinable init(_ root: TreeNode<Order, Value>?) {
            if let root { nodes.append(root) }
        }

        @inlinable var first: TreeNode<Order, Value>? { nodes.last }
        @inlinable var isEmpty: Bool { nodes.isEmpty }

        @inlinable mutating func dropFirst() {
            nodes.removeLast()
            slot = 0
        }

        /// Replaces the first node by its children.
        @inlinable mutating func open() {
            nodes.append(contentsOf: nodes.removeLast().children.reversed())
        }

        /// Does that in both versions, without the children that both begin and end with.
        ///
        /// As keys are in order, what both have at the end has no changes, whatever is before it.
        @inlinable static func open(_ old: inout Rest, _ new: inout Rest) {
            let (left, right) = (old.nodes.removeLast(), new.nodes.removeLast())
            if left === right { return }
            left.children.withUnsafeBufferPointer { left in
                right.children.withUnsafeBufferPointer { right in
                    let shorter = Swift.min(left.count, right.count)
                    var (start, end) = (0, 0)
                    while start < shorter, left[start] === right[start] { start += 1 }
                    while end < shorter - start,
                        left[left.count - 1 - end] === right[right.count - 1 - end]
                    {
                        end += 1
                    }
                    old.nodes.append(contentsOf: left[start..<(left.count - end)].reversed())
                    new.nodes.append(contentsOf: right[start..<(right.count - end)].reversed())
                }
            }
        }

        /// Visits one entry.
        @inlinable mutating func takeEntry(_ use: (Order.Key, Value) -> Element) -> Element {
            while let node = first, !node.isLeaf { open() }
            let leaf = nodes[nodes.count - 1]
            defer {
                slot += 1
                if slot == leaf.keys.count { dropFirst() }
            }
            return use(leaf.keys[slot], leaf.values[slot])
        }
    }
}

extension SortedTree {
    /// The entries that differ from another version, in the order of their keys.
    ///
    /// Values whose memory is the same are equal without being asked.
    @inlinable package func changes(
        from old: SortedTree, isEqual: @escaping (Value, Value) -> Bool
    ) -> TreeChanges<Order, Value> {
        TreeChanges(from: old, to: self, isEqual: isEqual)
    }

    /// Whether both are the same version, or copies of it. O(1).
    @inlinable package func isIdentical(to other: SortedTree) -> Bool { root === other.root }
}

/// Whether two values have the same memory, or are equal.
@inlinable func hasSameValue<Value>(
    _ left: Value, _ right: Value, _ isEqual: (Value, Value) -> Bool
) -> Bool {
    withUnsafePointer(to: left) { one in
        withUnsafePointer(to: right) { other in hasSameBits(one, other) }
    } || isEqual(left, right)
}

/// Whether an element has the same memory as another.
@inlinable func hasSameBits<Element>(
    _ left: ContiguousArray<Element>, _ here: Int, _ right: ContiguousArray<Element>, _ there: Int
) -> Bool {
    left.withUnsafeBufferPointer { left in
        right.withUnsafeBufferPointer { right in
            guard let one = left.baseAddress, let other = right.baseAddress else { return false }
            return hasSameBits(one + here, other + there)
        }
    }
}

/// Whether a value has the same memory as another, so that it is the same value.
///
/// Two of equal value needn't have: bytes between members may differ.
@inlinable func hasSameBits<Value>(
    _ one: UnsafePointer<Value>, _ other: UnsafePointer<Value>
) -> Bool {
    let (one, other) = (UnsafeRawPointer(one), UnsafeRawPointer(other))
    var at = 0
    while at + 8 <= MemoryLayout<Value>.size {
        if one.loadUnaligned(fromByteOffset: at, as: UInt64.self)
            != other.loadUnaligned(fromByteOffset: at, as: UInt64.self)
        {
            return false
        }
        at += 8
    }
    while at < MemoryLayout<Value>.size {
        if one.load(fromByteOffset: at, as: UInt8.self)
            != other.load(fromByteOffset: at, as: UInt8.self)
        {
            return false
        }
        at += 1
    }
    return true
}
