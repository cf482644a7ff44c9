/// A row that differs between two versions of an ordered table.
public struct OrderedTableChange<Row: Identifiable> where Row.ID: TableKey {
    /// The row's id.
    public let id: Row.ID
    /// The row of the older version; nil if it had none with the id.
    public let old: Row?
    /// The row of the newer version; nil if it has none with the id.
    public let new: Row?
    /// The row's rank in the older version.
    public let oldRank: Rank?
    /// The row's rank in the newer version.
    public let newRank: Rank?

    /// Whether both versions have the row, with another rank.
    ///
    /// A rank also changes to make room for others, and then the order needn't have changed.
    public var isMove: Bool { oldRank != nil && newRank != nil && oldRank != newRank }
}

extension OrderedTableChange: Sendable where Row: Sendable {}

extension OrderedTable {
    /// The rows that differ from another version, or have another rank, in the order of their ids.
    ///
    /// Compares rows as ``Table/changes(from:)`` does. O(c log n) for c changes between versions
    /// that come from one another, O(n) for others.
    public func changes(from old: OrderedTable) -> [OrderedTableChange<Row>] {
        rowChanges(from: old).map {
            OrderedTableChange(
                id: $0.id, old: $0.old, new: $0.new, oldRank: $0.oldRank, newRank: $0.newRank)
        }
    }
}

extension OrderedTable: Equatable where Row: Equatable {
    /// Whether both have the same rows with the same ranks. O(1) for copies, O(c log n) for
    /// versions that differ in c rows, O(n) otherwise.
    ///
    /// Tables with the same rows in the same order have other ranks if their rows came and moved
    /// otherwise. To compare the rows alone, use `elementsEqual(_:)`.
    public static func == (left: OrderedTable, right: OrderedTable) -> Bool {
        guard left.count == right.count else { return false }
        if left.tree.isIdentical(to: right.tree) { return true }
        var changes = left.tree.changes(from: right.tree) {
            $0.rank == $1.rank && ($0.box === $1.box || $0.box.row == $1.box.row)
        }
        return changes.next() == nil
    }
}

extension OrderedTable: Hashable where Row: Hashable {
    /// Hashes the rows in order. O(n log n).
    public func hash(into hasher: inout Hasher) {
        hasher.combine(count)
        for row in self { hasher.combine(row) }
    }
}

extension OrderedTable: CustomStringConvertible, CustomReflectable {
    /// The rows in order, as an array shows them.
    public var description: String { Array(self).description }

    /// The rows in order.
    public var customMirror: Mirror {
        Mirror(self, unlabeledChildren: self, displayStyle: .collection)
    }
}
