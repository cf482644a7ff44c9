package import StorecastTables

/// Keeps what is told of the rows of a query from the rows that change.
package protocol RowTally<Row, Value>: AnyObject {
    associatedtype Row: Identifiable & Sendable where Row.ID: TableKey
    associatedtype Value
    /// What the rows come to that it was told of.
    var value: Value { get }
    /// Takes changes, those of rows that aren't the query's too; each id once.
    ///
    /// - Parameter table: the rows after the changes.
    func apply(_ changes: [RowChange<Row>], in table: some RowsByID<Row>)
}

/// The measures of some rows, kept from what is added and removed. O(log n) each for a least or
/// greatest value, O(1) for the others.
final class RowMeasures<Row: Identifiable & Sendable> where Row.ID: TableKey {
    private typealias Key = RowKey<Row.ID>

    private let measures: [RowMeasure<Row>]
    private(set) var count = 0
    /// A sum for each measure; 0 for those that aren't sums. Sums of 2⁶² integers fit.
    private var sums: [Int128]
    /// The values of each field of which the least or the greatest is wanted.
    private var sorted: [(field: RowField<Row>, keys: SortedTree<Key, Void>)] = []

    init(_ measures: [RowMeasure<Row>]) {
        self.measures = measures
        sums = measures.map { _ in 0 }
        for measure in measures {
            guard let field = measure.sortedField, place(of: field) == nil else { continue }
            sorted.append((field, SortedTree()))
        }
    }

    private func place(of field: RowField<Row>) -> Int? {
        sorted.firstIndex { $0.field.path == field.path }
    }

    func add(_ row: Row) {
        add(row, times: 1)
        for place in sorted.indices {
            if let key = key(of: row, at: place) { sorted[place].keys.update((), at: key) }
        }
    }

    /// Takes out a row that was added, as it was then.
    func remove(_ row: Row) {
        add(row, times: -1)
        for place in sorted.indices {
            if let key = key(of: row, at: place) { sorted[place].keys.remove(key) }
        }
    }

    private func add(_ row: Row, times: Int128) {
        count += Int(times)
        for (place, measure) in measures.enumerated() {
            guard case .sum(let field) = measure else { continue }
            sums[place] += times * field.value(row).wholeNumber
        }
    }

    /// Nil if the row has no value.
    private func key(of row: Row, at place: Int) -> Key? {
        let value = sorted[place].field.value(row)
        return value == .none ? nil : RowKey([RowKeyPart(value)], .row(row.id))
    }

    /// What they come to.
    ///
    /// - Parameter table: has the rows.
    func results(in table: some RowsByID<Row>) -> [RowResult<Row>] {
        measures.enumerated().map { place, measure in
            guard let field = measure.sortedField else {
                if case .sum = measure { return .number(Int(clamping: sums[place])) }
                return .number(count)
            }
            guard let keys = self.place(of: field).map({ sorted[$0].keys }), !keys.isEmpty else {
                return .row(nil)
            }
            var isLeast = false
            if case .least = measure { isLeast = true }
            let key = keys[position: isLeast ? 0 : keys.count - 1].key
            return .row(key.id.flatMap { table[id: $0] })
        }
    }
}

extension RowMeasure {
    fileprivate var sortedField: RowField<Row>? {
        switch self {
        case .least(let field), .greatest(let field): field
        case .count, .sum: nil
        }
    }
}

/// What all rows of a query come to.
final class WholeTally<Row: Identifiable & Sendable, Value>: RowTally where Row.ID: TableKey {
    private(set) var value: Value
    private let query: RowQuery<Row>
    private let aggregate: RowAggregate<Row, Value>
    private let measures: RowMeasures<Row>

    init(_ query: RowQuery<Row>, _ aggregate: RowAggregate<Row, Value>) {
        self.query = query
        self.aggregate = aggregate
        measures = RowMeasures(aggregate.measures)
        value = aggregate.value(ofRows: [])
    }

    func apply(_ changes: [RowChange<Row>], in table: some RowsByID<Row>) {
        for change in changes {
            if let old = change.old, query.holds(for: old) { measures.remove(old) }
            if let new = change.new, query.holds(for: new) { measures.add(new) }
        }
        value = aggregate.value(of: measures.results(in: table))
    }
}

/// What the rows of a query come to, for each value of a field.
final class GroupsTally<
    Row: Identifiable & Sendable, Key: TableKey & Codable, Part: Codable & Equatable & Sendable
>: RowTally where Row.ID: TableKey {
    private(set) var value = Table<RowGroup<Key, Part>>()
    private let query: RowQuery<Row>
    private let aggregate: RowAggregate<Row, Part>
    private let field: any KeyPath<Row, Key> & Sendable
    private var groups = SortedTree<KeyOrder<Key>, RowMeasures<Row>>()

    init(
        _ query: RowQuery<Row>, _ aggregate: RowAggregate<Row, Part>,
        groupedBy field: any KeyPath<Row, Key> & Sendable
    ) {
        self.query = query
        self.aggregate = aggregate
        self.field = field
    }

    func apply(_ changes: [RowChange<Row>], in table: some RowsByID<Row>) {
        var touched = SortedTree<KeyOrder<Key>, RowMeasures<Row>>()
        func measures(of row: Row) -> RowMeasures<Row> {
            let key = row[keyPath: field]
            if let measures = touched[key] { return measures }
            let measures = groups[key] ?? RowMeasures(aggregate.measures)
            touched.update(measures, at: key)
            return measures
        }
        for change in changes {
            if let old = change.old, query.holds(for: old) { measures(of: old).remove(old) }
            if let new = change.new, query.holds(for: new) { measures(of: new).add(new) }
        }
        for (key, measures) in touched {
            if measures.count == 0 {
                groups.remove(key)
                value.remove(id: key)
            } else {
                groups.update(measures, at: key)
                value.update(
                    RowGroup(id: key, value: aggregate.value(of: measures.results(in: table))))
            }
        }
    }
}
