/// `Table` and `OrderedTable`, for code that works with both.
package protocol RowsByID<Row> {
    associatedtype Row: Identifiable where Row.ID: TableKey

    /// The ids in the table's order.
    var allIDs: [Row.ID] { get }

    subscript(id id: Row.ID) -> Row? { get }

    /// What differs from another version, in the order of ids. O(c log n) for c changes between
    /// versions that come from one another.
    func rowChanges(from old: Self) -> [RowChange<Row>]
}

/// A row that differs between two versions, or is elsewhere.
package struct RowChange<Row: Identifiable> {
    package let id: Row.ID
    /// The row of the newer version.
    package let new: Row?
    /// Whether the row came, went or has another content.
    package let isOther: Bool
    /// Whether the ids or their order may have changed.
    package let isElsewhere: Bool
}

extension Table: RowsByID {
    package var allIDs: [Row.ID] { tree.map(\.key) }

    package func rowChanges(from old: Table) -> [RowChange<Row>] {
        changes(from: old).map { change in
            RowChange(
                id: change.id, new: change.new, isOther: true,
                isElsewhere: change.old == nil || change.new == nil)
        }
    }
}

extension OrderedTable: RowsByID {
    package var allIDs: [Row.ID] { order.map(\.value) }

    package func rowChanges(from old: OrderedTable) -> [RowChange<Row>] {
        let areEqual = equality(of: Row.self)
        return changes(from: old).map { change in
            var isOther = true
            if let old = change.old, let new = change.new {
                isOther = !hasSameValue(old, new, areEqual)
            }
            return RowChange(
                id: change.id, new: change.new, isOther: isOther,
                isElsewhere: change.oldRank != change.newRank)
        }
    }
}
