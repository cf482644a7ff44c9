public import StorecastSync

/// A board that a team shares: columns of cards, a chat, and who is present.
///
/// The server's state. Clients see it through the selections (``summary``, ``columns``,
/// ``column``, …) and change it by dispatching a ``BoardAction``.
public struct Board: Codable, Equatable, Sendable {
    /// The columns from left to right.
    public internal(set) var columns: [Column]
    /// The newest messages, oldest first; at most ``BoardLimits/messages``.
    public internal(set) var chat: [ChatMessage]
    /// Who is present.
    public internal(set) var presence = Presence()

    /// A board with the empty columns `todo`, `doing` and `done`, an empty chat and nobody present.
    public init() {
        self.init(columns: [
            Column(id: "todo", title: "To do"), Column(id: "doing", title: "Doing"),
            Column(id: "done", title: "Done"),
        ])
    }

    /// A board with these columns, an empty chat and nobody present.
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

/// A column of a board.
public struct Column: Codable, Equatable, Sendable, Identifiable {
    /// Unique on the board.
    public let id: String
    /// The heading of the cards.
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

/// A card on a board.
public struct Card: Codable, Equatable, Sendable, Identifiable {
    /// Unique on the board; the id of the stamp of the ``AddCard`` that made it.
    public let id: String
    /// What is to be done.
    public internal(set) var text: String
    /// The id of the user who does it, or nil.
    public internal(set) var assignee: String?
    /// The ids of the users who voted for it, each once, in the order of their votes.
    public internal(set) var voters: [String]
    /// The id of the user who added it; `""` for an anonymous one.
    public let author: String
    /// When it was added.
    public let created: Timestamp

    /// A card.
    public init(
        id: String, text: String, assignee: String? = nil, voters: [String] = [], author: String,
        created: Timestamp
    ) {
        self.id = id
        self.text = text
        self.assignee = assignee
        self.voters = voters
        self.author = author
        self.created = created
    }
}
