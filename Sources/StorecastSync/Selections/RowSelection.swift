public import StorecastTables

/// A selection of rows, as the server keeps it up to date: from the rows that changed.
package struct RowSelection<State, Parameters, Rows: RowsByID>: SelectionUpkeep
where Rows.Row: Codable & Equatable & Sendable {
    /// What is wanted of the rows.
    package enum Wanted: Sendable {
        case row(@Sendable (Parameters) -> Rows.Row.ID)
        case page(@Sendable (Parameters, Identity) -> RowQuery<Rows.Row>)
    }

    package let table: any KeyPath<State, Rows> & Sendable
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
        self.init(name, rowOf: table)
    }

    /// One row of an ordered table, by its id; nil while there is none. Where the row is isn't told.
    public init<Row: Codable & Equatable & Sendable & Identifiable>(
        _ name: String, row table: any KeyPath<State, OrderedTable<Row>> & Sendable
    ) where Row.ID: TableKey & Codable, Parameters == Row.ID, Value == Row? {
        self.init(name, rowOf: table)
    }

    private init<Rows: RowsByID>(
        _ name: String, rowOf table: any KeyPath<State, Rows> & Sendable
    )
    where
        Rows.Row: Codable & Equatable & Sendable, Parameters == Rows.Row.ID, Value == Rows.Row?
    {
        self.init(name) { (state: State, id: Parameters) in state[keyPath: table][id: id] }
        upkeep = RowSelection<State, Parameters, Rows>(table: table, wanted: .row { $0 })
    }

    /// The rows of a table that a query asks for; see ``RowQuery``.
    public init<Row: Codable & Equatable & Sendable & Identifiable>(
        _ name: String, rows table: any KeyPath<State, Table<Row>> & Sendable,
        _ query: @escaping @Sendable (Parameters) -> RowQuery<Row>
    ) where Row.ID: TableKey, Value == RowPage<Row> {
        self.init(name, pageOf: table) { parameters, _ in query(parameters) }
        dependsOnViewer = false
    }

    /// The rows of an ordered table that a query asks for, in the table's order behind the fields
    /// that the query sorts by; see ``RowQuery``.
    ///
    /// ```swift
    /// static let column = Selection("column", rows: \Board.cards) { (column: Column) in
    ///     RowQuery().where(\.column, is: column.id).limit(50).after(column.cursor).counted()
    /// }
    /// ```
    public init<Row: Codable & Equatable & Sendable & Identifiable>(
        _ name: String, rows table: any KeyPath<State, OrderedTable<Row>> & Sendable,
        _ query: @escaping @Sendable (Parameters) -> RowQuery<Row>
    ) where Row.ID: TableKey, Value == RowPage<Row> {
        self.init(name, pageOf: table) { parameters, _ in query(parameters) }
        dependsOnViewer = false
    }

    /// The rows of a table that a query asks for, which depends on the viewer.
    ///
    /// Where the query says `where(\.owner, is: viewer.id)`, an index finds whom a changed row
    /// concerns.
    public init<Row: Codable & Equatable & Sendable & Identifiable>(
        _ name: String, rows table: any KeyPath<State, Table<Row>> & Sendable,
        _ query: @escaping @Sendable (Parameters, Identity) -> RowQuery<Row>
    ) where Row.ID: TableKey, Value == RowPage<Row> {
        self.init(name, pageOf: table, query)
    }

    /// The rows of an ordered table that a query asks for, which depends on the viewer; in the
    /// table's order behind the fields that the query sorts by.
    public init<Row: Codable & Equatable & Sendable & Identifiable>(
        _ name: String, rows table: any KeyPath<State, OrderedTable<Row>> & Sendable,
        _ query: @escaping @Sendable (Parameters, Identity) -> RowQuery<Row>
    ) where Row.ID: TableKey, Value == RowPage<Row> {
        self.init(name, pageOf: table, query)
    }

    private init<Rows: RowsByID>(
        _ name: String, pageOf table: any KeyPath<State, Rows> & Sendable,
        _ query: @escaping @Sendable (Parameters, Identity) -> RowQuery<Rows.Row>
    ) where Rows.Row: Codable & Equatable & Sendable, Value == RowPage<Rows.Row> {
        self.init(name) { (state: State, parameters: Parameters, viewer: Identity) in
            query(parameters, viewer).page(of: state[keyPath: table])
        }
        upkeep = RowSelection<State, Parameters, Rows>(table: table, wanted: .page(query))
    }
}
