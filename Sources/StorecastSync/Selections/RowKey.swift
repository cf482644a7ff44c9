package import StorecastTables

/// The place of a row in an index: the values of the fields that the index sorts by, its rank if
/// the table has an order of its own, then its id.
package struct RowKey<ID: TableKey>: Sendable {
    /// What is behind the values.
    package enum End: Sendable {
        /// Before all rows that have these values.
        case before
        case row(ID)
        /// Behind all rows that have these values.
        case behind
    }

    package var parts: [RowKeyPart]
    package var end: End

    package init(_ parts: [RowKeyPart], _ end: End) {
        self.parts = parts
        self.end = end
    }
}

/// A value that rows are sorted by.
///
/// Not generic, as keys are: sorting a table's rows by it takes a third of the time.
package struct RowKeyPart: Sendable {
    package var value: IndexValue
    package var isDescending: Bool

    package init(_ value: IndexValue, isDescending: Bool = false) {
        self.value = value
        self.isDescending = isDescending
    }

    /// Negative if what the first have in common with the others is before that, positive if it is
    /// behind, else 0.
    package static func order(_ parts: [RowKeyPart], against others: [RowKeyPart]) -> Int {
        for (part, other) in zip(parts, others) {
            let order = part.value.order(against: other.value)
            if order != 0 { return part.isDescending ? -order : order }
        }
        return 0
    }

    /// The order of rows by what they are sorted by, those with the same as they are.
    /// O(n log n), O(n) if they are in order.
    package static func order(of rows: [[RowKeyPart]]) -> [Int] {
        // A stable sort: the standard library's is.
        rows.indices.sorted { order(rows[$0], against: rows[$1]) < 0 }
    }
}

extension RowKey: TreeOrder {
    /// A key that has no row is before or behind all that begin with its values.
    package static func isOrdered(_ left: Self, before right: Self) -> Bool {
        let order = RowKeyPart.order(left.parts, against: right.parts)
        if order != 0 { return order < 0 }
        if left.parts.count != right.parts.count {
            let isShorter = left.parts.count < right.parts.count
            if case .before = isShorter ? left.end : right.end { return isShorter }
            return !isShorter
        }
        switch (left.end, right.end) {
        case (.row(let left), .row(let right)): return ID.isOrdered(left, before: right)
        case (.before, .before), (.behind, _): return false
        case (.before, _): return true
        case (.row, .behind): return true
        case (.row, .before): return false
        }
    }
}

extension RowKey {
    /// Whether both are one place.
    package func isSame(as other: RowKey) -> Bool {
        !Self.isOrdered(self, before: other) && !Self.isOrdered(other, before: self)
    }

    /// The id of the row at this place, if the place is a row's.
    package var id: ID? {
        if case .row(let id) = end { id } else { nil }
    }

    /// The values without the fields that all rows of a query share, and the id.
    package func cursor(behind shared: Int) -> RowCursor? {
        guard let id else { return nil }
        return RowCursor(parts[shared...].map(\.value) + [.string(id.keyText)])
    }
}

extension RowQuery where Row: Identifiable, Row.ID: TableKey {
    /// The place of a row in the order of the query.
    ///
    /// - Parameter rank: its place in the table, if that has an order of its own.
    package func key(of row: Row, rank: Rank?) -> RowKey<Row.ID> {
        var parts = order.map {
            RowKeyPart($0.field.value(row), isDescending: $0.isDescending)
        }
        if let rank { parts.append(RowKeyPart(.string(rank.text))) }
        return RowKey(parts, .row(row.id))
    }

    /// The place that the query's cursor names; nil if there is none, or it isn't one of this
    /// query.
    ///
    /// - Parameter isRanked: whether the table has an order of its own.
    package func place(isRanked: Bool) -> RowKey<Row.ID>? {
        guard var values = cursor?.values, case .string(let text)? = values.popLast(),
            let id = Row.ID(keyText: text),
            values.count == order.count + (isRanked ? 1 : 0)
        else { return nil }
        let parts = values.enumerated().map { index, value in
            RowKeyPart(
                value, isDescending: index < order.count && order[index].isDescending)
        }
        return RowKey(parts, .row(id))
    }

    /// Whether the row is one of the query's.
    package func holds(for row: Row) -> Bool {
        filters.allSatisfy { $0.holds(for: row) } && predicate?(row) ?? true
    }

    /// The page, found by looking at every row of a table: what the server's indices must agree
    /// with. O(n log n).
    package func page<Rows: RowsByID<Row>>(of table: Rows) -> RowPage<Row> {
        var found: [(key: RowKey<Row.ID>, row: Row)] = []
        table.forEachRow { row, rank in
            if holds(for: row) { found.append((key(of: row, rank: rank), row)) }
        }
        found.sort { RowKey.isOrdered($0.key, before: $1.key) }
        var range = found.indices
        if let place = place(isRanked: Rows.isRanked) {
            let isBehind = { (row: (key: RowKey<Row.ID>, row: Row)) in
                isBefore
                    ? !RowKey.isOrdered(row.key, before: place)
                    : RowKey.isOrdered(place, before: row.key)
            }
            let first = found.firstIndex(where: isBehind) ?? found.count
            range = isBefore ? 0..<first : first..<found.count
        }
        if let limit, range.count > limit {
            range = isBefore ? range.suffix(limit) : range.prefix(limit)
        }
        return RowPage(
            rows: found[range].map(\.row), count: isCounted ? found.count : nil,
            start: range.isEmpty ? nil : found[range.lowerBound].key.cursor(behind: 0),
            end: range.isEmpty ? nil : found[range.upperBound - 1].key.cursor(behind: 0),
            hasBefore: range.lowerBound > 0, hasAfter: range.upperBound < found.count)
    }
}
