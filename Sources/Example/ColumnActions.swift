public import StorecastSync

/// Adds an empty column, whose id is the id of the stamp.
public struct AddColumn: Stamped, BoardAction, Equatable {
    /// The heading of its cards.
    public var title: String
    /// The column to put it in front of; nil, or one that is gone: at the right end.
    public var before: Column.ID?
    /// Who did it and when, set by the server.
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

/// Gives a column another title.
public struct RenameColumn: Stamped, BoardAction, Equatable {
    /// Which column.
    public var column: Column.ID
    /// The new heading of its cards.
    public var title: String
    /// True to take back one's own: a conflict if somebody else has renamed the column since.
    public var isUndo: Bool?
    /// True in actions from before there were histories: snapshots from that time have none.
    var unrecorded: Bool?
    /// Who did it and when, set by the server.
    public var stamp = Stamp()

    /// An action to dispatch.
    public init(column: Column.ID, title: String, isUndo: Bool? = nil) {
        self.column = column
        self.title = title
        self.isUndo = isUndo
    }

    package func check(_ board: Board, by sender: Identity) throws(Rejection) {
        try BoardLimits.check(title, "title", limit: BoardLimits.title)
        _ = try board.require(column: column)
        if isUndo == true { try board.requireLast(.renamed, of: column, by: sender) }
    }

    package func apply(to board: inout Board) {
        guard (try? check(board, by: stamp.sender)) != nil,
            let index = board.index(ofColumn: column)
        else { return }
        board.columns[index].title = title
        board.record(.renamed, of: column, to: title, stamp: stamp, unless: unrecorded)
    }
}

/// Puts a column, with its cards, in another place.
public struct MoveColumn: Stamped, BoardAction, Equatable {
    /// Which column.
    public var column: Column.ID
    /// The column to put it in front of; nil, or one that is gone: at the right end.
    public var before: Column.ID?
    /// True to take back one's own: a conflict if somebody else has moved the column since.
    public var isUndo: Bool?
    /// True in actions from before there were histories: snapshots from that time have none.
    var unrecorded: Bool?
    /// Who did it and when, set by the server.
    public var stamp = Stamp()

    /// An action to dispatch.
    public init(column: Column.ID, before: Column.ID? = nil, isUndo: Bool? = nil) {
        self.column = column
        self.before = before
        self.isUndo = isUndo
    }

    package func check(_ board: Board, by sender: Identity) throws(Rejection) {
        _ = try board.require(column: column)
        if isUndo == true { try board.requireLast(.moved, of: column, by: sender) }
    }

    package func apply(to board: inout Board) {
        guard (try? check(board, by: stamp.sender)) != nil, before != column,
            let from = board.index(ofColumn: column)
        else { return }
        let moved = board.columns.remove(at: from)
        let index = before.flatMap { board.index(ofColumn: $0) } ?? board.columns.endIndex
        board.columns.insert(moved, at: index)
        board.record(.moved, of: column, stamp: stamp, unless: unrecorded)
    }
}

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
        guard try board.require(column: column).count == 0 else {
            throw Rejection(.conflict, "Only an empty column can be removed.")
        }
    }

    package func apply(to board: inout Board) {
        guard let index = board.index(ofColumn: column), board.columns[index].count == 0 else {
            return
        }
        board.columns.remove(at: index)
        board.histories.remove(id: column)
    }
}
