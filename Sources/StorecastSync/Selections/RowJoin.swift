public import StorecastTables

/// Rows, each with the row of another table that it names.
package struct RowJoin<State, Row, Others: RowsByID, Joined>: Sendable {
    package let table: any KeyPath<State, Others> & Sendable
    /// The id of the other row; nil if the row names none.
    package let field: @Sendable (Row) -> Others.Row.ID?
    package let join: @Sendable (Row, Others.Row?) -> Joined

    /// The page with each row joined.
    ///
    /// - Parameter find: finds the other row by its id.
    package func joined(
        _ page: RowPage<Row>, _ find: (Others.Row.ID) -> Others.Row?
    ) -> RowPage<Joined> {
        RowPage(
            rows: page.rows.map { joined($0, find) }, count: page.count, start: page.start,
            end: page.end, hasBefore: page.hasBefore, hasAfter: page.hasAfter)
    }

    package func joined(_ row: Row, _ find: (Others.Row.ID) -> Others.Row?) -> Joined {
        join(row, field(row).flatMap(find))
    }
}

/// Pages whose rows can be joined, whatever the table.
package protocol PageSelection<State, Parameters, Row>: SelectionUpkeep {
    associatedtype Row
    func joining<Others: RowsByID, Joined: Codable & Equatable & Sendable>(
        _ join: RowJoin<State, Row, Others, Joined>
    ) -> any SelectionUpkeep<State, Parameters> where Others.Row: Codable & Equatable & Sendable
}

/// A selection of pages with joined rows, as the server keeps it up to date: from the rows of
/// either table that changed.
package struct JoinedSelection<
    State, Parameters, Rows: RowsByID, Others: RowsByID, Joined: Codable & Equatable & Sendable
>: SelectionUpkeep
where
    Rows.Row: Codable & Equatable & Sendable, Others.Row: Codable & Equatable & Sendable
{
    package let pages: RowSelection<State, Parameters, Rows>
    package let join: RowJoin<State, Rows.Row, Others, Joined>
}

extension RowSelection: PageSelection {
    package typealias Row = Rows.Row

    package func joining<Others: RowsByID, Joined: Codable & Equatable & Sendable>(
        _ join: RowJoin<State, Row, Others, Joined>
    ) -> any SelectionUpkeep<State, Parameters> where Others.Row: Codable & Equatable & Sendable {
        JoinedSelection(pages: self, join: join)
    }
}

extension Selection {
    /// Shows each row of a page together with the row of another table that one of its fields
    /// names; nil while there is none with that id.
    ///
    /// ```swift
    /// static let column = Selection("column", rows: \Board.cards) { (column: String) in
    ///     RowQuery().where(\.column, is: column).limit(50)
    /// }.joining(\.people, on: \.assignee) { card, person in
    ///     AssignedCard(card: card, name: person?.name)
    /// }
    /// ```
    /// The function must be pure. When a row of the other table changes, the pages that show it are
    /// found by an index: O(log rows + limit) for each of them, nothing for others. A page that is
    /// joined already, or comes from a closure, is run as a closure after each turn.
    public func joining<
        Row: Codable & Equatable & Sendable, Other: Identifiable & Codable & Equatable & Sendable,
        Joined: Codable & Equatable & Sendable
    >(
        _ table: any KeyPath<State, Table<Other>> & Sendable,
        on field: any KeyPath<Row, Other.ID> & Sendable,
        _ join: @escaping @Sendable (Row, Other?) -> Joined
    ) -> Selection<State, Parameters, RowPage<Joined>>
    where Value == RowPage<Row>, Other.ID: TableKey {
        joining(RowJoin(table: table, field: { $0[keyPath: field] }, join: join))
    }

    /// The same by a field that needn't have a value.
    public func joining<
        Row: Codable & Equatable & Sendable, Other: Identifiable & Codable & Equatable & Sendable,
        Joined: Codable & Equatable & Sendable
    >(
        _ table: any KeyPath<State, Table<Other>> & Sendable,
        on field: any KeyPath<Row, Other.ID?> & Sendable,
        _ join: @escaping @Sendable (Row, Other?) -> Joined
    ) -> Selection<State, Parameters, RowPage<Joined>>
    where Value == RowPage<Row>, Other.ID: TableKey {
        joining(RowJoin(table: table, field: { $0[keyPath: field] }, join: join))
    }

    /// The same with the rows of an ordered table.
    public func joining<
        Row: Codable & Equatable & Sendable, Other: Identifiable & Codable & Equatable & Sendable,
        Joined: Codable & Equatable & Sendable
    >(
        _ table: any KeyPath<State, OrderedTable<Other>> & Sendable,
        on field: any KeyPath<Row, Other.ID> & Sendable,
        _ join: @escaping @Sendable (Row, Other?) -> Joined
    ) -> Selection<State, Parameters, RowPage<Joined>>
    where Value == RowPage<Row>, Other.ID: TableKey {
        joining(RowJoin(table: table, field: { $0[keyPath: field] }, join: join))
    }

    /// The same with the rows of an ordered table, by a field that needn't have a value.
    public func joining<
        Row: Codable & Equatable & Sendable, Other: Identifiable & Codable & Equatable & Sendable,
        Joined: Codable & Equatable & Sendable
    >(
        _ table: any KeyPath<State, OrderedTable<Other>> & Sendable,
        on field: any KeyPath<Row, Other.ID?> & Sendable,
        _ join: @escaping @Sendable (Row, Other?) -> Joined
    ) -> Selection<State, Parameters, RowPage<Joined>>
    where Value == RowPage<Row>, Other.ID: TableKey {
        joining(RowJoin(table: table, field: { $0[keyPath: field] }, join: join))
    }

    private func joining<
        Row: Codable & Equatable & Sendable, Others: RowsByID,
        Joined: Codable & Equatable & Sendable
    >(
        _ join: RowJoin<State, Row, Others, Joined>
    ) -> Selection<State, Parameters, RowPage<Joined>>
    where Value == RowPage<Row>, Others.Row: Codable & Equatable & Sendable {
        let evaluate = evaluate
        var joined = Selection<State, Parameters, RowPage<Joined>>(name) {
            (state: State, parameters: Parameters, viewer: Identity) in
            let others = state[keyPath: join.table]
            return join.joined(evaluate(state, parameters, viewer)) { others[id: $0] }
        }
        joined.dependsOnViewer = dependsOnViewer
        joined.upkeep = (upkeep as? any PageSelection<State, Parameters, Row>)?.joining(join)
        return joined
    }
}
