public import StorecastSync

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
