import StorecastSync
import StorecastTables

/// A query, split into what an index answers and what has to be asked of each row.
struct RowPlan<Row: Identifiable & Sendable> where Row.ID: TableKey {
    typealias Key = RowKey<Row.ID>

    /// Queries of one shape share an index.
    struct Shape: Hashable {
        let fields: [AnyKeyPath]
        let descending: [Bool]
    }

    let query: RowQuery<Row>
    /// Fields that must have one value: the index sorts by them first.
    private(set) var equal: [RowField<Row>] = []
    private(set) var values: [IndexValue] = []
    /// Between these places of the index are the rows of all pages.
    private(set) var lower: Key
    private(set) var upper: Key
    /// The place that the query's cursor names.
    let cursor: Key?
    /// The filters that the index doesn't answer.
    private(set) var rest: [RowFilter<Row>] = []

    /// - Parameter isRanked: whether the table has an order of its own.
    init(_ query: RowQuery<Row>, isRanked: Bool) {
        self.query = query
        var others: [RowFilter<Row>] = []
        for filter in query.filters {
            if case .equal(let value) = filter.condition,
                !equal.contains(where: { $0.path == filter.field.path })
            {
                equal.append(filter.field)
                values.append(value)
            } else {
                others.append(filter)
            }
        }
        let prefix = values.map { RowKeyPart($0) }
        (lower, upper) = (Key(prefix, .before), Key(prefix, .behind))
        cursor = query.place(isRanked: isRanked).map { Key(prefix + $0.parts, $0.end) }
        for filter in others {
            guard let first = query.order.first, first.field.path == filter.field.path,
                let bound = filter.bound(isDescending: first.isDescending)
            else {
                rest.append(filter)
                continue
            }
            let key = Key(prefix + [bound.part], bound.end)
            if bound.isLower, Key.isOrdered(lower, before: key) { lower = key }
            if !bound.isLower, Key.isOrdered(key, before: upper) { upper = key }
        }
    }

    /// Nil if the query needs an index of its own, of the rows for which it holds.
    var shape: Shape? {
        guard rest.isEmpty, query.predicate == nil else { return nil }
        return Shape(
            fields: equal.map(\.path) + query.order.map(\.field.path),
            descending: query.order.map(\.isDescending))
    }

    /// The place of a row in the index; nil if it isn't in it.
    func key(of row: Row, rank: Rank?) -> Key? {
        guard rest.allSatisfy({ $0.holds(for: row) }), query.predicate?(row) ?? true else {
            return nil
        }
        let place = query.key(of: row, rank: rank)
        return Key(equal.map { RowKeyPart($0.value(row)) } + place.parts, place.end)
    }

    /// What its fields must be, of a place in the index.
    func values(of key: Key) -> [IndexValue] { key.parts[..<equal.count].map(\.value) }
}

extension RowFilter {
    /// The bound that a range is of the first field that rows are sorted by; nil if it isn't one.
    fileprivate func bound(
        isDescending: Bool
    ) -> (part: RowKeyPart, end: RowKey<Row.ID>.End, isLower: Bool)?
    where Row: Identifiable, Row.ID: TableKey {
        let (value, isGreater, isBeforeEqual): (IndexValue, Bool, Bool)
        switch condition {
        case .equal: return nil
        case .less(let bound): (value, isGreater, isBeforeEqual) = (bound, false, true)
        case .lessOrEqual(let bound): (value, isGreater, isBeforeEqual) = (bound, false, false)
        case .greaterOrEqual(let bound): (value, isGreater, isBeforeEqual) = (bound, true, true)
        }
        // In descending order what is greater comes before the rows that are equal, and the bound
        // is on the other side of them.
        return (
            RowKeyPart(value, isDescending: isDescending),
            isBeforeEqual != isDescending ? .before : .behind, isGreater != isDescending
        )
    }
}
