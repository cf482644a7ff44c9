public import StorecastSync

/// Puts a column, with its cards, in another place.
public struct MoveColumn: SyncAction, BoardAction, Equatable {
    /// Which column.
    public var column: Column.ID
    /// The column to put it in front of; nil, or one that is gone: at the right end.
    public var before: Column.ID?

    /// An action to dispatch.
    public init(column: Column.ID, before: Column.ID? = nil) {
        self.column = column
        self.before = before
    }

    package func check(_ board: Board, by sender: Identity) throws(Rejection) {
        _ = try board.require(column: column)
    }

    package func apply(to board: inout Board) {
        guard before != column, let from = board.index(ofColumn: column) else { return }
        let moved = board.columns.remove(at: from)
        let index = before.flatMap { board.index(ofColumn: $0) } ?? board.columns.endIndex
        board.columns.insert(moved, at: index)
    }
}
