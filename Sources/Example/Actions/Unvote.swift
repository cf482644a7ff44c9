public import StorecastSync

/// Takes back the sender's vote for a card, if there is one.
public struct Unvote: Stamped, BoardAction, Equatable {
    /// Which card.
    public var card: Card.ID
    /// Who does it and when, from the server.
    public var stamp = Stamp()

    /// An action to dispatch.
    public init(card: Card.ID) {
        self.card = card
    }

    package func check(_ board: Board, by sender: Identity) throws(Rejection) {
        try board.require(card: card)
    }

    package func apply(to board: inout Board) {
        board.update(card) { $0.voters.removeAll { $0 == stamp.sender.id } }
    }
}
