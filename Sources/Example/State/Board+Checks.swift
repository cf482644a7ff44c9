import StorecastSync

extension Board {
    /// Throws a conflict unless the board has the column.
    func require(column id: Column.ID) throws(Rejection) -> Column {
        guard let index = index(ofColumn: id) else {
            throw Rejection(
                .conflict, "There is no such column (any more).",
                detail: "No column has the id '\(id.excerpt())'.")
        }
        return columns[index]
    }

    /// Throws a conflict unless the board has the card.
    @discardableResult
    func require(card id: Card.ID) throws(Rejection) -> Card {
        guard let position = position(of: id) else {
            throw Rejection(
                .conflict, "There is no such card (any more).",
                detail: "No card has the id '\(id.excerpt())'.")
        }
        return columns[position.column].cards[position.index]
    }
}

extension Column {
    /// Throws a conflict if the column can't take another card.
    func requireRoom() throws(Rejection) {
        guard cards.count < BoardLimits.cardsPerColumn else {
            throw Rejection(
                .conflict, "The column is full.",
                detail: "At most \(BoardLimits.cardsPerColumn) cards.")
        }
    }
}
