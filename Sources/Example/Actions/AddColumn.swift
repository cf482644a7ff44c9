public import StorecastSync

/// Adds an empty column, whose id is the id of the stamp.
public struct AddColumn: Stamped, BoardAction, Equatable {
    /// What stands above its cards.
    public var title: String
    /// The column to put it in front of; nil, or one that is gone: at the right end.
    public var before: Column.ID?
    /// Who does it and when, from the server.
    public var stamp = Stamp()

    /// An action to dispatch.
    public init(title: String, before: Column.ID? = nil) {
        self.title = title
        self.before = before
    }

    package func check(_ board: Board, by sender: Identity) throws(Rejection) {
        try BoardLimits.check(title, "title", limit: BoardLimits.title)
        guard board.columns.count < BoardLimits.columns else {
            throw Rejection(
                .conflict, "The board has no room for another column.",
                detail: "At most \(BoardLimits.columns) columns.")
        }
    }

    package func apply(to board: inout Board) {
        let index = before.flatMap { board.index(ofColumn: $0) } ?? board.columns.endIndex
        board.columns.insert(Column(id: stamp.id, title: title), at: index)
    }
}
