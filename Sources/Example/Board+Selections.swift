public import StorecastSync

extension Board {
    /// How much there is of everything.
    public static let summary = Selection("summary") { (board: Board) in Summary(of: board) }

    /// The columns' ids and titles, from left to right.
    public static let columns = Selection("columns") { (board: Board) in
        board.columns.map { ColumnTitle(id: $0.id, title: $0.title) }
    }

    /// The cards of the column whose id is the parameter, from top to bottom; none if there is no
    /// such column.
    public static let column = Selection("column") { (board: Board, id: Column.ID) in
        board.index(ofColumn: id).map { board.columns[$0].cards } ?? []
    }

    /// The card whose id is the parameter; nil if there is none.
    public static let card = Selection("card") { (board: Board, id: Card.ID) -> Card? in
        board.position(of: id).map { board.columns[$0.column].cards[$0.index] }
    }

    /// The cards that are assigned to the viewer, column by column; none for an anonymous one.
    public static let myCards = Selection("myCards") { (board: Board, me: Identity) in
        board.columns.flatMap { column in
            column.cards.filter { me != .anonymous && $0.assignee == me.id }
        }
    }

    /// The newest messages, oldest first.
    public static let chat = Selection("chat") { (board: Board) in board.chat }

    /// Who is there, in the order in which they came.
    public static let present = Selection("present") { (board: Board) in
        board.presence.participants.map { Participant($0) }
    }
}
