public import StorecastSync

/// Gives a card another text; of two who do so at once, the later one wins.
public struct EditCard: SyncAction, BoardAction, Equatable {
    /// Which card.
    public var card: Card.ID
    /// What shall stand on it.
    public var text: String

    /// An action to dispatch.
    public init(card: Card.ID, text: String) {
        self.card = card
        self.text = text
    }

    package func check(_ board: Board, by sender: Identity) throws(Rejection) {
        try BoardLimits.check(text, "text", limit: BoardLimits.text)
        try board.require(card: card)
    }

    package func apply(to board: inout Board) {
        board.update(card) { $0.text = text }
    }
}
