public import StorecastSync
public import StorecastTables

/// A board that a team shares: columns of cards, a chat, and who is present.
///
/// The server's state. Clients see it through the selections (``summary``, ``columns``,
/// ``column``, …) and change it by dispatching a ``BoardAction``. What an action costs doesn't
/// depend on the number of cards.
public struct Board: Codable, Sendable {
    /// The columns from left to right.
    public internal(set) var columns: [Column]
    /// The cards of all columns; those of one column from top to bottom.
    public internal(set) var cards = OrderedTable<Card>()
    /// The number of votes for all cards.
    public internal(set) var votes = 0
    /// What was done to cards and columns of late, by their ids; those of ``removed`` cards too.
    public internal(set) var histories = Table<History>()
    /// The cards that were removed last, for ``RestoreCard``; at most ``BoardLimits/removed``.
    public internal(set) var removed: [Card] = []
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

extension Board: Equatable {
    /// Whether both have the same, in the same order. The ranks of the cards aren't looked at: they
    /// tell how a card came to its place. O(1) for copies, O(cards) for boards that differ.
    public static func == (left: Board, right: Board) -> Bool {
        left.columns == right.columns && left.votes == right.votes && left.chat == right.chat
            && left.presence == right.presence && left.histories == right.histories
            && left.removed == right.removed
            && (left.cards == right.cards || left.cards.elementsEqual(right.cards))
    }
}

extension Board {
    /// The index of a column; O(columns).
    func index(ofColumn id: Column.ID) -> Int? {
        columns.firstIndex { $0.id.isSameText(as: id) }
    }

    /// Changes a card in place; without effect if there is no such card. O(log cards).
    mutating func update(_ card: Card.ID, _ change: (inout Card) -> Void) {
        guard cards.contains(id: card) else { return }
        change(&cards[id: card]!)
    }

    /// Puts a card, which is there or is new, in a column: above another of that column, or at the
    /// bottom. O(log cards).
    mutating func place(_ card: Card, in column: Int, before: Card.ID?) {
        if let old = cards[id: card.id], let index = index(ofColumn: old.column) {
            columns[index].count -= 1
        }
        var card = card
        card.column = columns[column].id
        columns[column].count += 1
        // Below all cards of the board is below those of the column.
        guard let before, cards[id: before]?.column.isSameText(as: card.column) == true,
            cards.insert(card, before: before)
        else { return _ = cards.append(card) }
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
        guard let card = cards[id: id] else {
            throw Rejection(
                .conflict, "There is no such card (any more).",
                detail: "No card has the id '\(id.excerpt())'.")
        }
        return card
    }
}

extension Column {
    /// Throws a conflict if the column can't take another card.
    func requireRoom() throws(Rejection) {
        guard count < BoardLimits.cardsPerColumn else {
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
    /// How many cards it has; at most ``BoardLimits/cardsPerColumn``.
    public internal(set) var count: Int

    /// A column.
    public init(id: String, title: String, count: Int = 0) {
        self.id = id
        self.title = title
        self.count = count
    }
}

/// A card on a board.
public struct Card: Codable, Equatable, Sendable, Identifiable {
    /// Unique on the board; the id of the stamp of the ``AddCard`` that made it.
    public let id: String
    /// The id of the column that it is in.
    public internal(set) var column: Column.ID
    /// What is to be done.
    public private(set) var text: String
    /// The same text, with what it remembers of recent edits; nil before the first one.
    public private(set) var edited: SharedText?
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
        id: String, column: Column.ID, text: String, assignee: String? = nil, voters: [String] = [],
        author: String,
        created: Timestamp
    ) {
        self.id = id
        self.column = column
        self.text = text
        self.assignee = assignee
        self.voters = voters
        self.author = author
        self.created = created
    }

    /// The text, for ``EditCardText`` to be made of.
    public var sharedText: SharedText {
        edited ?? SharedText(text, memory: BoardLimits.textMemory)
    }

    /// Gives it another text, as an edit of the one that it has: those that were made of that one
    /// still find their places.
    mutating func replaceText(with text: String) {
        var shared = sharedText
        guard let edit = shared.edit(by: "server", to: text) else { return }
        shared.apply(edit)
        take(shared)
    }

    /// Gives it another text, of which nobody can have made an edit before.
    mutating func replaceText(unshared text: String) {
        self.text = text
        edited = nil
    }

    mutating func take(_ shared: SharedText) {
        text = shared.text
        edited = shared
    }

    /// The text after an edit. Throws if it can't be applied, or leads to what isn't a card's text.
    func applying(_ edit: TextEdit) throws(Rejection) -> SharedText {
        var shared = sharedText
        try shared.check(edit, longest: BoardLimits.text)
        shared.apply(edit)
        guard !shared.text.isBlank else {
            throw Rejection(.conflict, "The card would have no text left.")
        }
        try BoardLimits.check(shared.text, "text", limit: BoardLimits.text)
        return shared
    }
}
