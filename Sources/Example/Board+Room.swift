public import StorecastSync
import StorecastTables

extension Board {
    /// The room that a server opens for a board.
    ///
    /// Starts with ``init()``, takes every ``BoardAction`` of this module, shows every selection to
    /// everyone, and records who is present. A server that asks clients who they are adds rules.
    public static let room: RoomDefinition<Board> = {
        let room = RoomDefinition(
            state: Board(), actions: actions,
            selections: [
                summary, columns, column, card, myCards, search, history, chat, present,
            ], reducer: reduce)
        let checked = actions.reduce(room.lifecycle()) { room, type in room.checking(type) }
            .upcastState(from: 1, intoTable)
            // In schema 2 texts weren't shared. Cards that have never been edited are the same.
            .upcast("EditCard", from: 2) { action in
                if action.payload.object != nil { action.payload["unshared"] = true }
            }
            .upcastState(from: 3, withHistories)
        // In schema 3 it wasn't kept who had changed what. A log that is reduced again leads to
        // what the snapshots of that time have.
        let recorded = [
            "EditCard", "EditCardText", "AssignCard", "MoveCard", "RemoveCard", "RenameColumn",
            "MoveColumn",
        ]
        return recorded.reduce(checked) { room, name in
            room.upcast(name, from: 3) { action in
                if action.payload.object != nil { action.payload["unrecorded"] = true }
            }
        }
    }()

    /// In schema 1 each column had an array of its cards, which didn't say where they are.
    ///
    /// What isn't such a board stays as it is: reading it says what is wrong.
    @Sendable static func intoTable(_ board: inout JSON) {
        guard var columns = board["columns"]?.array, columns.allSatisfy({ $0.object != nil })
        else { return }
        var all: [JSON] = []
        for place in columns.indices {
            let cards = columns[place]["cards"]?.array ?? []
            columns[place]["cards"] = nil
            columns[place]["count"] = .int(Int64(cards.count))
            for var card in cards {
                if card.object != nil { card["column"] = columns[place]["id"] }
                all.append(card)
            }
        }
        board["columns"] = .array(columns)
        board["votes"] = .int(Int64(all.reduce(0) { $0 + ($1["voters"]?.array?.count ?? 0) }))
        board["cards"] = .array(all)
    }

    /// In schema 3 nothing was kept of what had been done, and of cards that had been removed.
    @Sendable static func withHistories(_ board: inout JSON) {
        guard board.object != nil else { return }
        board["histories"] = .object([:])
        board["removed"] = .array([])
    }

    /// Every action type of the board.
    static let actions: [any BoardAction.Type] = [
        AddColumn.self, RenameColumn.self, MoveColumn.self, RemoveColumn.self,
        AddCard.self, EditCard.self, EditCardText.self, AssignCard.self, MoveCard.self,
        RemoveCard.self, RestoreCard.self, Vote.self, Unvote.self, Say.self,
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
    /// What actions do to some cards of one column: for stores of ``column`` that show them before
    /// the server has answered.
    ///
    /// It is the board's own reducer, on a board with these cards alone. So a card that goes to
    /// another column moves when the server says so: neither column's cards tell enough to do it
    /// before. One that goes to where the cards aren't known isn't shown.
    public static func reducer(ofColumn id: Column.ID) -> InPlaceReducer<RowPage<Card>> {
        { page, action in
            var board = Board(columns: [Column(id: id, title: "", count: page.rows.count)])
            board.cards = OrderedTable(page.rows)
            // What is put below this card isn't among those that are known.
            let end = Card(
                id: "", column: id, text: "", author: "", created: Timestamp(secondsSince1970: 0))
            if page.hasAfter || page.hasBefore && isAboveUnknown(action, board.cards) {
                board.cards.append(end)
            }
            reduce(&board, action)
            page.rows = Array(board.cards.prefix { !$0.id.isEmpty })
        }
    }

    /// Whether an action puts a card above one that isn't among some.
    private static func isAboveUnknown(_ action: any Action, _ cards: OrderedTable<Card>) -> Bool {
        let before: Card.ID? =
            switch action {
            case let action as AddCard: action.before
            case let action as MoveCard: action.before
            default: nil
            }
        return before.map { !cards.contains(id: $0) } ?? false
    }
}
