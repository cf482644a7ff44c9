public import StorecastSync

/// Takes a card off the board.
public struct RemoveCard: SyncAction, BoardAction, Equatable {
    /// Which card.
    public var card: Card.ID

    /// An action to dispatch.
    public init(card: Card.ID) {
        self.card = card
    }

    package func check(_ board: Board, by sender: Identity) throws(Rejection) {
        try board.require(card: card)
    }

    package func apply(to board: inout Board) {
        guard let position = board.position(of: card) else { return }
        board.columns[position.column].cards.remove(at: position.index)
    }
}
