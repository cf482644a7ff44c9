/// `Table` and `OrderedTable`, for code that works with both.
package protocol RowsByID<Row>: SendableMetatype {
    associatedtype Row: Identifiable where Row.ID: TableKey

    /// Whether rows have ranks. If not, the table is in the order of the ids.
    static var isRanked: Bool { get }

    /// The ids in the table's order.
    var allIDs: [Row.ID] { get }

    subscript(id id: Row.ID) -> Row? { get }

    /// Calls `body` with each row, in the order of the ids. O(n).
    func forEachRow(_ body: (Row, Rank?) throws -> Void) rethrows

    /// What differs from another version, in the order of ids. O(c log n) for c changes between
    /// versions that come from one another.
    ///
    /// - Parameter isEqual: asked of two rows that aren't the same object.
    func rowChanges(
        from old: Self, isEqual: @escaping (Row, Row) -> Bool
    ) -> [RowChange<Row>]
}

extension RowsByID {
    /// What differs from another version, by `==` if rows have it.
    package func rowChanges(from old: Self) -> [RowChange<Row>] {
        rowChanges(from: old, isEqual: equality(of: Row.self))
    }
}

/// A row that differs between two versions, or is elsewhere.
package struct RowChange<Row: Identifiable> {
    package let id: Row.ID
    /// The row of the older version; nil if it had none with the id.
    package let old: Row?
    /// The row of the newer version; nil if it has none with the id.
    package let new: Row?
    /// The ranks in both versions, where rows have one.
    package let oldRank: Rank?
    package let newRank: Rank?
    /// Whether the row came, went or has another content.
    package let isOther: Bool

    package init(
        id: Row.ID, old: Row?, new: Row?, oldRank: Rank? = nil, newRank: Rank? = nil,
        isOther: Bool = true
    ) {
        (self.id, self.old, self.new) = (id, old, new)
        (self.oldRank, self.newRank, self.isOther) = (oldRank, newRank, isOther)
    }

    /// Whether the ids or their order may have changed.
    package var isElsewhere: Bool { (old == nil) != (new == nil) || oldRank != newRank }
}

extension Table: RowsByID {
    package static var isRanked: Bool { false }
    package var allIDs: [Row.ID] { tree.map(\.key) }

    package func forEachRow(_ body: (Row, Rank?) throws -> Void) rethrows {
        for (_, box) in tree { try body(box.row, nil) }
    }

    package func rowChanges(
        from old: Table, isEqual: @escaping (Row, Row) -> Bool
    ) -> [RowChange<Row>] {
        tree.changes(from: old.tree) { isEqual($0.row, $1.row) }
            .map { RowChange(id: $0.key, old: $0.old?.row, new: $0.new?.row) }
    }
}

extension OrderedTable: RowsByID {
    package static var isRanked: Bool { true }
    package var allIDs: [Row.ID] { order.map(\.value) }

    package func forEachRow(_ body: (Row, Rank?) throws -> Void) rethrows {
        for (_, ranked) in tree { try body(ranked.box.row, ranked.rank) }
    }

    package func rowChanges(
        from old: OrderedTable, isEqual: @escaping (Row, Row) -> Bool
    ) -> [RowChange<Row>] {
        func isSame(_ old: (rank: Rank, box: RowBox<Row>), _ new: (rank: Rank, box: RowBox<Row>))
            -> Bool
        {
            old.box === new.box || isEqual(old.box.row, new.box.row)
        }
        return tree.changes(from: old.tree) { $0.rank == $1.rank && isSame($0, $1) }.map { change in
            var isOther = true
            if let old = change.old, let new = change.new { isOther = !isSame(old, new) }
            return RowChange(
                id: change.key, old: change.old?.box.row, new: change.new?.box.row,
                oldRank: change.old?.rank, newRank: change.new?.rank, isOther: isOther)
        }
    }
}
