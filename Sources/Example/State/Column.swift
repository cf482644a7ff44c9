/// A column of a board.
public struct Column: Codable, Equatable, Sendable, Identifiable {
    /// Unique on the board.
    public let id: String
    /// What stands above the cards.
    public internal(set) var title: String
    /// The cards from top to bottom; at most ``BoardLimits/cardsPerColumn``.
    public internal(set) var cards: [Card]

    /// A column.
    public init(id: String, title: String, cards: [Card] = []) {
        self.id = id
        self.title = title
        self.cards = cards
    }

    /// The index in front of which a card goes: that of `card`, or the end if it is nil or (by
    /// now) elsewhere.
    func index(before card: Card.ID?) -> Int {
        cards.firstIndex { $0.id == card } ?? cards.endIndex
    }
}
