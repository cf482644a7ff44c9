public import StorecastSync

/// Adds a card, whose id is the id of the stamp.
public struct AddCard: Stamped, BoardAction, Equatable {
    /// The column that it goes to.
    public var column: Column.ID
    /// What is to be done.
    public var text: String
    /// The card to put it above; nil, or one that isn't there: at the bottom.
    public var before: Card.ID?
    /// Who does it and when, from the server.
    public var stamp = Stamp()

    /// An action to dispatch.
    public init(column: Column.ID, text: String, before: Card.ID? = nil) {
        self.column = column
        self.text = text
        self.before = before
    }

    package func check(_ board: Board, by sender: Identity) throws(Rejection) {
        try BoardLimits.check(text, "text", limit: BoardLimits.text)
        try board.require(column: column).requireRoom()
    }

    package func apply(to board: inout Board) {
        guard let place = board.index(ofColumn: column) else { return }
        let card = Card(id: stamp.id, text: text, author: stamp.sender.id, created: stamp.time)
        board.columns[place].cards.insert(card, at: board.columns[place].index(before: before))
    }
}
