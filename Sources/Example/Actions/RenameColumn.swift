public import StorecastSync

/// Gives a column another title.
public struct RenameColumn: SyncAction, BoardAction, Equatable {
    /// Which column.
    public var column: Column.ID
    /// What shall stand above its cards.
    public var title: String

    /// An action to dispatch.
    public init(column: Column.ID, title: String) {
        self.column = column
        self.title = title
    }

    package func check(_ board: Board, by sender: Identity) throws(Rejection) {
        try BoardLimits.check(title, "title", limit: BoardLimits.title)
        _ = try board.require(column: column)
    }

    package func apply(to board: inout Board) {
        guard let index = board.index(ofColumn: column) else { return }
        board.columns[index].title = title
    }
}
