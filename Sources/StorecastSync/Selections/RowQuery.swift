/// Which rows of a table a client sees, in which order, and how many of them.
///
/// ```swift
/// static let page = Selection("page", rows: \Board.cards) { (page: Page) in
///     RowQuery().where(\.column, is: page.column).where(\.due, in: ..<page.until)
///         .sorted(by: \.due).limit(50).after(page.cursor)
/// }
/// ```
/// The closure says what is wanted, and doesn't look at the rows. The server keeps an index for
/// each combination of fields that queries in use compare and sort by, and so does for a changed
/// row what the queries that show it cost: O(log rows + limit) each.
///
/// What isn't sorted is in the order of the table. Of an `OrderedTable` of cards,
/// `RowQuery().where(\.column, is: id).limit(50)` is the beginning of a column in its own order,
/// and a card that is moved concerns the pages that it leaves, comes to or moves in.
public struct RowQuery<Row: Sendable>: Sendable {
    package var filters: [RowFilter<Row>] = []
    package var predicate: (@Sendable (Row) -> Bool)?
    package var order: [RowOrder<Row>] = []
    package var limit: Int?
    package var cursor: RowCursor?
    package var isBefore = false
    package var isCounted = false

    /// All rows, in the order of the table.
    public init() {}

    /// Only rows whose field has a value, beside what was asked for before.
    ///
    /// It is looked up in an index, whatever the number of queries. Queries that name the same
    /// fields in the same order, and sort by the same, share one.
    public func `where`<Value: Indexable>(
        _ field: any KeyPath<Row, Value> & Sendable, is value: Value
    ) -> Self {
        adding(RowFilter(field, .equal(value.indexValue)))
    }

    /// Only rows whose field is in a range, beside what was asked for before.
    ///
    /// For the field that the rows are sorted by first, it is a part of an index. For another it is
    /// as costly as ``filter(_:)``.
    public func `where`<Value: Indexable>(
        _ field: any KeyPath<Row, Value> & Sendable, in range: PartialRangeFrom<Value>
    ) -> Self {
        adding(RowFilter(field, .greaterOrEqual(range.lowerBound.indexValue)))
    }

    /// Only rows whose field is in a range; see ``where(_:in:)-(_,PartialRangeFrom<Value>)``.
    public func `where`<Value: Indexable>(
        _ field: any KeyPath<Row, Value> & Sendable, in range: PartialRangeUpTo<Value>
    ) -> Self {
        adding(RowFilter(field, .less(range.upperBound.indexValue)))
    }

    /// Only rows whose field is in a range; see ``where(_:in:)-(_,PartialRangeFrom<Value>)``.
    public func `where`<Value: Indexable>(
        _ field: any KeyPath<Row, Value> & Sendable, in range: PartialRangeThrough<Value>
    ) -> Self {
        adding(RowFilter(field, .lessOrEqual(range.upperBound.indexValue)))
    }

    /// Only rows whose field is in a range; see ``where(_:in:)-(_,PartialRangeFrom<Value>)``.
    ///
    /// Swift stops a program that makes a range with its bounds in the wrong order. Where a client
    /// chooses them, ask twice, with one bound each.
    public func `where`<Value: Indexable>(
        _ field: any KeyPath<Row, Value> & Sendable, in range: Range<Value>
    ) -> Self {
        self.where(field, in: range.lowerBound...).where(field, in: ..<range.upperBound)
    }

    /// Only rows whose field is in a range; see ``where(_:in:)-(_,PartialRangeFrom<Value>)``.
    ///
    /// Swift stops a program that makes a range with its bounds in the wrong order. Where a client
    /// chooses them, ask twice, with one bound each.
    public func `where`<Value: Indexable>(
        _ field: any KeyPath<Row, Value> & Sendable, in range: ClosedRange<Value>
    ) -> Self {
        self.where(field, in: range.lowerBound...).where(field, in: ...range.upperBound)
    }

    private func adding(_ filter: RowFilter<Row>) -> Self {
        var query = self
        query.filters.append(filter)
        return query
    }

    /// Only rows for which a function of one's own holds.
    ///
    /// It must be pure. Costly: an index is made for this query alone (for equal parameters, and
    /// one viewer if it depends on that), of all rows, and each changed row is asked for each such
    /// query in use.
    public func filter(_ predicate: @escaping @Sendable (Row) -> Bool) -> Self {
        var query = self
        if let before = self.predicate {
            query.predicate = { before($0) && predicate($0) }
        } else {
            query.predicate = predicate
        }
        return query
    }

    /// In ascending order of a field, behind the fields named before; rows that are equal in all of
    /// them are in the order of the table: of their ids, or of an `OrderedTable`'s own.
    public func sorted(
        by field: any KeyPath<Row, some Indexable> & Sendable, descending: Bool = false
    ) -> Self {
        var query = self
        query.order.append(RowOrder(field: RowField(field), isDescending: descending))
        return query
    }

    /// The first `count` of them; or the last, with ``before(_:)``. None if it isn't positive, as a
    /// client may choose it.
    public func limit(_ count: Int) -> Self {
        var query = self
        query.limit = max(0, count)
        return query
    }

    /// Those behind a place: ``RowPage/end`` of the page before. Nil is the beginning.
    public func after(_ cursor: RowCursor?) -> Self {
        var query = self
        query.cursor = cursor
        query.isBefore = false
        return query
    }

    /// Those before a place: ``RowPage/start`` of the page behind; with a limit, the last of them.
    public func before(_ cursor: RowCursor?) -> Self {
        var query = self
        query.cursor = cursor
        query.isBefore = cursor != nil
        return query
    }

    /// Tells how many rows there are in all, ``RowPage/count``, on whatever page.
    ///
    /// The page then changes whenever one is added or removed anywhere: O(log rows) for each such
    /// query.
    public func counted() -> Self {
        var query = self
        query.isCounted = true
        return query
    }
}

/// A field of a row that indices are made of.
package struct RowField<Row>: Sendable {
    /// Two fields are the same if their paths are.
    package let path: any AnyKeyPath & Sendable
    package let value: @Sendable (Row) -> IndexValue

    init<Value: Indexable>(_ path: any KeyPath<Row, Value> & Sendable) {
        self.path = path
        value = { $0[keyPath: path].indexValue }
    }
}

/// A field that rows are sorted by.
package struct RowOrder<Row>: Sendable {
    package let field: RowField<Row>
    package let isDescending: Bool
}

/// A condition on one field of a row.
package struct RowFilter<Row>: Sendable {
    package enum Condition: Sendable {
        case equal(IndexValue)
        case less(IndexValue)
        case lessOrEqual(IndexValue)
        case greaterOrEqual(IndexValue)
    }

    package let field: RowField<Row>
    package let condition: Condition

    init(_ path: any KeyPath<Row, some Indexable> & Sendable, _ condition: Condition) {
        field = RowField(path)
        self.condition = condition
    }

    package func holds(for row: Row) -> Bool {
        let value = field.value(row)
        return switch condition {
        case .equal(let other): value == other
        case .less(let other): value < other
        case .lessOrEqual(let other): value <= other
        case .greaterOrEqual(let other): value >= other
        }
    }
}

/// A place between rows, in the order of a query: the fields that it sorts by, the rank in an
/// `OrderedTable`, and the id of a row.
///
/// It stays where it is when the row goes, moves or changes. Where an `OrderedTable` ranks rows
/// anew to make room, which is rare, the rows around may come to be on the other side of it; the
/// places that pages tell then are the new ones. Opaque: an array in JSON.
public struct RowCursor: Hashable, Codable, Sendable {
    package var values: [IndexValue]

    package init(_ values: [IndexValue]) { self.values = values }

    /// Reads an array of null, booleans, numbers and strings.
    public init(from decoder: any Decoder) throws {
        values = try [IndexValue](from: decoder)
    }

    /// Writes the array.
    public func encode(to encoder: any Encoder) throws {
        try values.encode(to: encoder)
    }
}

/// A part of the rows of a query, as they are now.
public struct RowPage<Row> {
    /// The rows, in the query's order.
    public var rows: [Row]
    /// How many rows the query has on all pages; nil if it doesn't count.
    public var count: Int?
    /// The place of the first row, for ``RowQuery/before(_:)``; nil if there is no row.
    public var start: RowCursor?
    /// The place of the last row, for ``RowQuery/after(_:)``; nil if there is no row.
    public var end: RowCursor?
    /// Whether there are rows before the first.
    public var hasBefore: Bool
    /// Whether there are rows behind the last.
    public var hasAfter: Bool

    package init(
        rows: [Row], count: Int?, start: RowCursor?, end: RowCursor?, hasBefore: Bool,
        hasAfter: Bool
    ) {
        self.rows = rows
        self.count = count
        self.start = start
        self.end = end
        self.hasBefore = hasBefore
        self.hasAfter = hasAfter
    }
}

extension RowPage: Sendable where Row: Sendable {}
extension RowPage: Equatable where Row: Equatable {}
extension RowPage: Encodable where Row: Encodable {}
extension RowPage: Decodable where Row: Decodable {}
