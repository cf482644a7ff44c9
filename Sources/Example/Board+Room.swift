public import StorecastSync

extension Board {
    /// The room that a server opens for a board.
    ///
    /// Starts with ``init()``; takes every ``BoardAction`` of this module from everyone, and has
    /// every selection for everyone; knows who is there. A server adds `authorize` to it.
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

    /// The board's reducer: does what `action` says; ignores actions that aren't the board's.
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
