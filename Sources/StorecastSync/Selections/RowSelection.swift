public import StorecastTables

/// A selection of rows, as the server keeps it up to date: from the rows that changed.
package struct RowSelection<
    State, Parameters, Row: Identifiable & Codable & Equatable & Sendable
>: SelectionUpkeep where Row.ID: TableKey {
    /// What is wanted of the rows.
    package enum Wanted: Sendable {
        case row(@Sendable (Parameters) -> Row.ID)
        case page(@Sendable (Parameters, Identity) -> RowQuery<Row>)
    }

    package let table: any KeyPath<State, Table<Row>> & Sendable
    package let wanted: Wanted
}

extension Selection {
    /// One row of a table, by its id; nil while there is none.
    ///
    /// ```swift
    /// static let card = Selection("card", row: \Board.cards)
    /// let store = RemoteStore(Board.card, "card-7", on: connection)
    /// ```
    /// A change costs nothing for the selections of other rows, however many are in use.
    public init<Row: Codable & Equatable & Sendable & Identifiable>(
        _ name: String, row table: any KeyPath<State, Table<Row>> & Sendable
    ) where Row.ID: TableKey & Codable, Parameters == Row.ID, Value == Row? {
        self.init(name) { (state: State, id: Row.ID) in state[keyPath: table][id: id] }
        upkeep = RowSelection(table: table, wanted: .row { $0 })
    }

    /// The rows of a table that a query asks for; see ``RowQuery``.
    public init<Row: Codable & Equatable & Sendable & Identifiable>(
        _ name: String, rows table: any KeyPath<State, Table<Row>> & Sendable,
        _ query: @escaping @Sendable (Parameters) -> RowQuery<Row>
    ) where Row.ID: TableKey, Value == RowPage<Row> {
        self.init(name) { (state: State, parameters: Parameters) in
            query(parameters).page(of: state[keyPath: table])
        }
        upkeep = RowSelection(table: table, wanted: .page { parameters, _ in query(parameters) })
    }

    /// The rows of a table that a query asks for, which depends on the viewer.
    ///
    /// Where the query says `where(\.owner, is: viewer.id)`, an index finds whom a changed row
    /// concerns.
    public init<Row: Codable & Equatable & Sendable & Identifiable>(
        _ name: String, rows table: any KeyPath<State, Table<Row>> & Sendable,
        _ query: @escaping @Sendable (Parameters, Identity) -> RowQuery<Row>
    ) where Row.ID: TableKey, Value == RowPage<Row> {
        self.init(name) { (state: State, parameters: Parameters, viewer: Identity) in
            query(parameters, viewer).page(of: state[keyPath: table])
        }
        upkeep = RowSelection(table: table, wanted: .page(query))
    }
}
