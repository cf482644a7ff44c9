public import StorecastSync

/// Removes an empty column.
///
/// One with cards stays: someone may just have put a card there.
public struct RemoveColumn: SyncAction, BoardAction, Equatable {
    /// Which column.
    public var column: Column.ID

    /// An action to dispatch.
    public init(column: Column.ID) {
        self.column = column
    }

    package func check(_ board: Board, by sender: Identity) throws(Rejection) {
        guard try board.require(column: column).cards.isEmpty else {
            throw Rejection(.conflict, "Only an empty column can be removed.")
        }
    }

    package func apply(to board: inout Board) {
        board.columns.removeAll { $0.id == column && $0.cards.isEmpty }
    }
}
