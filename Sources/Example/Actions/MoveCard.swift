public import StorecastSync

/// Puts a card in another place, in its column or another one.
///
/// A place is named by the card below it, not by a number, so that it means the same when others
/// add, move and remove cards at the same time.
public struct MoveCard: SyncAction, BoardAction, Equatable {
    /// Which card.
    public var card: Card.ID
    /// The column that it goes to.
    public var column: Column.ID
    /// The card to put it above; nil, or one that isn't there: at the bottom.
    public var before: Card.ID?

    /// An action to dispatch.
    public init(card: Card.ID, column: Column.ID, before: Card.ID? = nil) {
        self.card = card
        self.column = column
        self.before = before
    }

    package func check(_ board: Board, by sender: Identity) throws(Rejection) {
        try board.require(card: card)
        let target = try board.require(column: column)
        if !target.cards.contains(where: { $0.id == card }) { try target.requireRoom() }
    }

    package func apply(to board: inout Board) {
        guard before != card, let from = board.position(of: card),
            let target = board.index(ofColumn: column)
        else { return }
        let moved = board.columns[from.column].cards.remove(at: from.index)
        board.columns[target].cards.insert(moved, at: board.columns[target].index(before: before))
    }
}
