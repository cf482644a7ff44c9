public import StorecastSync

extension Board {
    /// The room that a server opens for a board.
    ///
    /// Starts with ``init()``, takes every ``BoardAction`` of this module, shows every selection to
    /// everyone, and records who is present. A server adds `authorize` to it.
    public static let room: RoomDefinition<Board> = {
        let room = RoomDefinition(
            state: Board(), actions: actions,
            selections: [summary, columns, column, card, myCards, chat, present], reducer: reduce)
        return actions.reduce(room.lifecycle()) { room, type in room.checking(type) }
    }()

    /// Every action type of the board.
    static let actions: [any BoardAction.Type] = [
        AddColumn.self, RenameColumn.self, MoveColumn.self, RemoveColumn.self,
        AddCard.self, EditCard.self, AssignCard.self, MoveCard.self, RemoveCard.self,
        Vote.self, Unvote.self, Say.self,
    ]

    /// The board's reducer: applies `action`; ignores actions that aren't the board's.
    @Sendable
    public static func reduce(_ board: inout Board, _ action: any Action) {
        if let action = action as? any BoardAction {
            action.apply(to: &board)
        } else {
            board.presence.reduce(action)
        }
    }
}

extension RoomDefinition<Board> {
    fileprivate func checking<A: BoardAction>(_ type: A.Type) -> Self {
        validate(type) { board, action, sender in try action.check(board, by: sender) }
    }
}

/// An action on a ``Board``: when it is possible, and what it does.
package protocol BoardAction: SyncAction {
    /// Throws if the action can't be done to `board` as it is.
    ///
    /// `invalid` says that the action never makes sense, `conflict` that it doesn't any more,
    /// usually because someone else was faster.
    func check(_ board: Board, by sender: Identity) throws(Rejection)

    /// Does it. Deterministic; without effect where ``check(_:by:)`` would throw for a conflict.
    func apply(to board: inout Board)
}

extension Board {
    /// What actions do to the cards of one column: for stores of ``column`` that show them before
    /// the server has answered.
    ///
    /// It is the board's own reducer, on a board with that column alone. So a card that goes to
    /// another column moves when the server says so: neither column's cards tell enough to do it
    /// before.
    public static func reducer(ofColumn id: Column.ID) -> InPlaceReducer<[Card]> {
        { cards, action in
            var board = Board(columns: [Column(id: id, title: "", cards: cards)])
            cards = []
            reduce(&board, action)
            cards = board.columns.first?.cards ?? []
        }
    }
}
