// Changes of nodes that have been made unique.
extension TreeNode {
    /// Sets the value of a key below a node.
    ///
    /// Afterwards the node may be full: it is the caller's to divide. `growth` is where the node
    /// has got a new entry or child, for ``divide(at:)``.
    @inlinable static func set(
        _ key: Key, to value: consuming Value, in node: inout TreeNode, growth: inout Int
    ) -> Value? {
        makeUnique(&node)
        guard !node.isLeaf else {
            let slot = node.slot(of: key)
            if node.hasKey(key, at: slot) {
                swap(&node.values[slot], &value)
                return value
            }
            node.insert(key, value, at: slot)
            growth = slot
            return nil
        }
        let slot = node.childSlot(of: key)
        let old = set(key, to: value, in: &node.children[slot], growth: &growth)
        guard case .none = old else { return old }
        node.counts[slot] += 1
        if node.children[slot].fill >= capacity {
            node.divideChild(at: slot, growth: growth)
            growth = slot + 1
        }
        return nil
    }

    /// Removes the entry at the end of a way.
    ///
    /// Afterwards the node may have too little in it: it is the caller's to join it with another.
    @inlinable static func remove(at way: TreeWay, from node: inout TreeNode) -> Value? {
        makeUnique(&node)
        let slot = way[node.height]
        guard !node.isLeaf else {
            node.keys.remove(at: slot)
            // Of an entry that was taken (``SortedTree/take(_:)``) only the key is left.
            return node.values.count > node.keys.count ? node.values.remove(at: slot) : nil
        }
        let old = remove(at: way, from: &node.children[slot])
        node.counts[slot] -= 1
        if node.children[slot].fill < leastFill { node.joinChild(at: slot) }
        return old
    }

    @inlinable func insert(_ key: Key, _ value: consuming Value, at slot: Int) {
        if keys.count == keys.capacity || values.count == values.capacity {
            keys.reserveCapacity(Self.capacity)
            values.reserveCapacity(Self.capacity)
        }
        keys.insert(key, at: slot)
        values.insert(value, at: slot)
    }

    /// Divides a child that is full. `growth` is the place where it has grown last: a child that
    /// grows at one end only leaves more in the part that won't grow any more.
    @inlinable func divideChild(at slot: Int, growth: Int) {
        let (left, fill) = (children[slot], children[slot].fill)
        let middle =
            growth >= fill - 1 ? fill - Self.leastFill : growth == 0 ? Self.leastFill : fill / 2
        let (separator, right) = left.divide(at: middle)
        keys.insert(separator, at: slot)
        children.insert(right, at: slot + 1)
        counts[slot] = left.count
        counts.insert(right.count, at: slot + 1)
    }

    /// Moves what is at `middle` and after it to a new node, and returns it with a key between.
    @inlinable func divide(at middle: Int) -> (separator: Key, right: TreeNode) {
        let (separator, right): (Key, TreeNode)
        if isLeaf {
            separator = keys[middle]
            right = TreeNode(
                keys: ContiguousArray(keys[middle...]), values: ContiguousArray(values[middle...]))
            keys = ContiguousArray(keys[..<middle])
            values = ContiguousArray(values[..<middle])
        } else {
            separator = keys[middle - 1]
            right = TreeNode(
                keys: ContiguousArray(keys[middle...]),
                children: ContiguousArray(children[middle...]),
                counts: ContiguousArray(counts[middle...]), height: height)
            keys = ContiguousArray(keys[..<(middle - 1)])
            children = ContiguousArray(children[..<middle])
            counts = ContiguousArray(counts[..<middle])
        }
        return (separator, right)
    }

    /// Joins a child with a neighbour, and divides them anew if that is too much for one node.
    @inlinable func joinChild(at slot: Int) {
        guard children.count > 1 else { return }
        let slot = max(0, slot - 1)
        let right = children.remove(at: slot + 1)
        let separator = keys.remove(at: slot)
        counts[slot] += counts.remove(at: slot + 1)
        Self.makeUnique(&children[slot])
        children[slot].append(right, separator: separator)
        if children[slot].fill > Self.capacity * 3 / 4 {
            divideChild(at: slot, growth: children[slot].fill / 2)
        }
    }

    @inlinable func append(_ right: TreeNode, separator: Key) {
        if !isLeaf { keys.append(separator) }
        keys += right.keys
        values += right.values
        children += right.children
        counts += right.counts
    }
}
