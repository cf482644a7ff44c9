public import StorecastSync

/// Votes for a card.
///
/// A user has one vote for each card: a second one is taken, and changes nothing. All anonymous
/// users together count as one.
public struct Vote: Stamped, BoardAction, Equatable {
    /// Which card.
    public var card: Card.ID
    /// Who does it and when, from the server.
    public var stamp = Stamp()

    /// An action to dispatch.
    public init(card: Card.ID) {
        self.card = card
    }

    package func check(_ board: Board, by sender: Identity) throws(Rejection) {
        let card = try board.require(card: card)
        guard card.voters.count < BoardLimits.votesPerCard || card.voters.contains(sender.id) else {
            throw Rejection(
                .conflict, "The card has all the votes that it can have.",
                detail: "At most \(BoardLimits.votesPerCard) votes.")
        }
    }

    package func apply(to board: inout Board) {
        board.update(card) { card in
            if !card.voters.contains(stamp.sender.id) { card.voters.append(stamp.sender.id) }
        }
    }
}
