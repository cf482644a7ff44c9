package import StorecastTables

extension Table: NamedMembers where Row: Encodable {
    package typealias Member = Row

    package func forEachChange(
        since old: Self, _ report: (_ name: String, _ old: Row?, _ new: Row?) throws -> Void
    ) rethrows {
        for change in changes(from: old, isEqual: { _, _ in false }) {
            try report(change.id.keyText, change.old, change.new)
        }
    }
}

extension OrderedTable: NamedMembers where Row: Encodable {
    package typealias Member = RankedRow<Row>

    package func forEachChange(
        since old: Self,
        _ report: (_ name: String, _ old: RankedRow<Row>?, _ new: RankedRow<Row>?) throws -> Void
    ) rethrows {
        for change in tree.changes(from: old.tree, isEqual: { _, _ in false }) {
            try report(
                change.key.keyText, change.old.map { RankedRow($0) },
                change.new.map { RankedRow($0) })
        }
    }
}
