public import StorecastSync

/// Says who does what stands on a card.
public struct AssignCard: SyncAction, BoardAction, Equatable {
    /// Which card.
    public var card: Card.ID
    /// The id of the user who does it; nil for nobody.
    public var assignee: String?

    /// An action to dispatch.
    public init(card: Card.ID, assignee: String?) {
        self.card = card
        self.assignee = assignee
    }

    package func check(_ board: Board, by sender: Identity) throws(Rejection) {
        if let assignee {
            try BoardLimits.check(assignee, "assignee", limit: BoardLimits.name)
        }
        try board.require(card: card)
    }

    package func apply(to board: inout Board) {
        board.update(card) { $0.assignee = assignee }
    }
}
