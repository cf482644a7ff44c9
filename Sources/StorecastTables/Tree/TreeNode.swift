public import Synchronization

/// A node of a tree: a leaf with entries, or an inner node with children.
///
/// Trees that were copied from one another share nodes. A node is changed only by a tree that holds
/// the one reference to it (``makeUnique(_:)``); all others change a copy. The arrays of a copy are
/// shared in turn until they change: to set a value copies no keys.
@usableFromInline package final class TreeNode<Order: TreeOrder, Value> {
    @usableFromInline package typealias Key = Order.Key

    /// Of a leaf, the keys of its entries. Of an inner node, for each child but the first a key
    /// that is after every key of the child before, and not after any of the child's own.
    @usableFromInline @exclusivity(unchecked) var keys: ContiguousArray<Key>
    /// Of a leaf, the values of its entries.
    @usableFromInline @exclusivity(unchecked) var values: ContiguousArray<Value>
    @usableFromInline @exclusivity(unchecked) var children: ContiguousArray<TreeNode>
    /// The number of entries below each child.
    @usableFromInline @exclusivity(unchecked) var counts: ContiguousArray<Int>
    /// How far it is to the leaves; 0 for a leaf.
    @usableFromInline let height: Int
    /// What ``TreeLeaf/note(_:)`` keeps. A leaf that has one is copied rather than changed.
    @usableFromInline let note = Atomic<Unmanaged<AnyObject>?>(nil)

    @inlinable init(keys: ContiguousArray<Key>, values: ContiguousArray<Value>) {
        (self.keys, self.values, children, counts, height) = (keys, values, [], [], 0)
    }

    @inlinable init(
        keys: ContiguousArray<Key>, children: ContiguousArray<TreeNode>,
        counts: ContiguousArray<Int>, height: Int
    ) {
        (self.keys, values, self.children, self.counts) = (keys, [], children, counts)
        self.height = height
    }

    @inlinable init(copying other: TreeNode) {
        (keys, values, height) = (other.keys, other.values, other.height)
        (children, counts) = (other.children, other.counts)
    }

    deinit { note.load(ordering: .acquiring)?.release() }
}

// A node that is reachable from two threads has two references, so neither of them changes it; and
// the note is atomic.
extension TreeNode: @unchecked Sendable where Key: Sendable, Value: Sendable {}

extension TreeNode {
    @inlinable var isLeaf: Bool { height == 0 }

    /// The number of its own entries or children.
    @inlinable var fill: Int { isLeaf ? keys.count : children.count }

    @inlinable static var capacity: Int { Order.capacity }
    /// Below this, a node is joined with its neighbour.
    @inlinable static var leastFill: Int { capacity / 4 }

    /// The number of entries in the leaf, or in all leaves below.
    @inlinable var count: Int {
        if isLeaf { return keys.count }
        return counts.reduce(0, +)
    }

    /// Copies the node of a variable if others refer to it too.
    @inlinable static func makeUnique(_ node: inout TreeNode) {
        if !isKnownUniquelyReferenced(&node) || node.note.load(ordering: .relaxed) != nil {
            node = TreeNode(copying: node)
        }
    }

    /// The first place of a leaf whose key isn't before `key`.
    @inlinable func slot(of key: Key) -> Int {
        var (low, high) = (0, keys.count)
        while low < high {
            let middle = (low + high) / 2
            if Order.isOrdered(keys[middle], before: key) {
                low = middle + 1
            } else {
                high = middle
            }
        }
        return low
    }

    /// Whether a leaf has `key` at a place that ``slot(of:)`` found.
    @inlinable func hasKey(_ key: Key, at slot: Int) -> Bool {
        slot < keys.count && !Order.isOrdered(key, before: keys[slot])
    }

    /// The child that has `key`, if any has; nil for a leaf.
    @inlinable func child(of key: Key) -> Unmanaged<TreeNode>? {
        if isLeaf { return nil }
        let slot = childSlot(of: key)
        return children.withUnsafeBufferPointer { Unmanaged.passUnretained($0[slot]) }
    }

    /// The same, and adds the step to a way.
    @inlinable func child(of key: Key, _ way: inout TreeWay) -> Unmanaged<TreeNode>? {
        if isLeaf { return nil }
        let slot = childSlot(of: key)
        way[height] = slot
        return children.withUnsafeBufferPointer { Unmanaged.passUnretained($0[slot]) }
    }

    /// The place of the child of an inner node that has `key`, if any has.
    @inlinable func childSlot(of key: Key) -> Int {
        var (low, high) = (0, keys.count)
        while low < high {
            let middle = (low + high) / 2
            if Order.isOrdered(key, before: keys[middle]) {
                high = middle
            } else {
                low = middle + 1
            }
        }
        return low
    }
}

/// The way from the root to an entry: for each height, the place in its node, at most 255.
@usableFromInline struct TreeWay {
    @inlinable static var longest: Int { 15 }

    @usableFromInline var slots: UInt128 = 0

    @inlinable init() {}

    /// The place at a height. It is set once.
    @inlinable subscript(height: Int) -> Int {
        get { Int(truncatingIfNeeded: slots &>> UInt128(8 * height)) & 0xff }
        set { slots |= UInt128(newValue) &<< UInt128(8 * height) }
    }
}
