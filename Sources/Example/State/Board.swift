public import StorecastSync

/// A board that a team shares: columns of cards, a chat, and who is there.
///
/// The server's state. Clients see it through the selections (``summary``, ``columns``,
/// ``column``, …) and change it by dispatching a ``BoardAction``.
public struct Board: Codable, Equatable, Sendable {
    /// The columns from left to right.
    public internal(set) var columns: [Column]
    /// The newest messages, oldest first; at most ``BoardLimits/messages``.
    public internal(set) var chat: [ChatMessage]
    /// Who is there.
    public internal(set) var presence = Presence()

    /// A board with the empty columns `todo`, `doing` and `done`, a silent chat and nobody there.
    public init() {
        self.init(columns: [
            Column(id: "todo", title: "To do"), Column(id: "doing", title: "Doing"),
            Column(id: "done", title: "Done"),
        ])
    }

    /// A board with these columns, a silent chat and nobody there.
    public init(columns: [Column]) {
        self.columns = columns
        chat = []
    }
}

extension Board {
    /// Where a card is.
    struct CardPosition: Equatable {
        var column: Int
        var index: Int
    }

    /// The index of a column; O(columns).
    func index(ofColumn id: Column.ID) -> Int? {
        columns.firstIndex { $0.id == id }
    }

    /// Where a card is; O(cards of the board).
    func position(of card: Card.ID) -> CardPosition? {
        for (column, content) in columns.enumerated() {
            if let index = content.cards.firstIndex(where: { $0.id == card }) {
                return CardPosition(column: column, index: index)
            }
        }
        return nil
    }

    /// Changes a card in place; without effect if there is no such card.
    mutating func update(_ card: Card.ID, _ change: (inout Card) -> Void) {
        guard let position = position(of: card) else { return }
        change(&columns[position.column].cards[position.index])
    }
}
