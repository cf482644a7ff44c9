/// A row that differs between two versions of a table.
public struct TableChange<Row: Identifiable> where Row.ID: TableKey {
    /// The row's id.
    public let id: Row.ID
    /// The row of the older version; nil if it had none with the id.
    public let old: Row?
    /// The row of the newer version; nil if it has none with the id.
    public let new: Row?

    @inlinable package init(id: Row.ID, old: Row?, new: Row?) {
        (self.id, self.old, self.new) = (id, old, new)
    }
}

extension TableChange: Sendable where Row: Sendable {}

extension TableChange: Equatable where Row: Equatable {
    /// Whether both say the same of the same row. Ids are compared as keys.
    @inlinable public static func == (left: TableChange, right: TableChange) -> Bool {
        Row.ID.areSame(left.id, right.id) && left.old == right.old && left.new == right.new
    }
}

extension Table {
    /// The rows that differ from another version, in the order of their ids.
    ///
    /// Rows are compared with `==` if they are `Equatable`, and otherwise bit by bit, so that a row
    /// that was made anew may count as changed. O(c log n) for c changes between versions that come
    /// from one another, O(n) for others.
    @inlinable public func changes(from old: Table) -> [TableChange<Row>] {
        let isEqual = equality(of: Row.self)
        return changes(from: old) { isEqual($0, $1) }
    }

    /// The rows that aren't the same object in both versions and differ by `isEqual`.
    @inlinable package func changes(
        from old: Table, isEqual: @escaping (Row, Row) -> Bool
    ) -> [TableChange<Row>] {
        tree.changes(from: old.tree) { isEqual($0.row, $1.row) }
            .map { TableChange(id: $0.key, old: $0.old?.row, new: $0.new?.row) }
    }
}

/// The `==` of a type; if it has none, a comparison that is never true.
///
/// Where a type isn't known to be `Equatable` when it is compiled, it may be all the same.
@inlinable package func equality<Value>(of type: Value.Type) -> (Value, Value) -> Bool {
    func equality<Known: Equatable>(of type: Known.Type) -> (Value, Value) -> Bool {
        { left, right in
            guard let left = left as? Known, let right = right as? Known else { return false }
            return left == right
        }
    }
    guard let type = type as? any Equatable.Type else { return { _, _ in false } }
    return equality(of: type)
}

extension Table: Equatable where Row: Equatable {
    /// Whether both have the same rows. O(1) for copies, O(c log n) for versions that differ in c
    /// rows, O(n) otherwise.
    @inlinable public static func == (left: Table, right: Table) -> Bool {
        guard left.count == right.count else { return false }
        if left.tree.isIdentical(to: right.tree) { return true }
        var changes = left.tree.changes(from: right.tree) { $0.row == $1.row }
        return changes.next() == nil
    }
}

extension Table: Hashable where Row: Hashable {
    /// Hashes the rows in order. O(n).
    @inlinable public func hash(into hasher: inout Hasher) {
        hasher.combine(count)
        for row in rows { hasher.combine(row) }
    }
}

extension Table: CustomStringConvertible, CustomReflectable {
    /// The rows in the order of their ids, as an array shows them.
    @inlinable public var description: String { Array(rows).description }

    /// The rows in the order of their ids.
    @inlinable public var customMirror: Mirror {
        Mirror(self, unlabeledChildren: rows, displayStyle: .collection)
    }
}
