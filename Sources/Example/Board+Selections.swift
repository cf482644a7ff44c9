public import StorecastSync

extension Board {
    /// How much there is of everything.
    public static let summary = Selection("summary") { (board: Board) in Summary(of: board) }

    /// The columns with their titles and numbers of cards, from left to right.
    public static let columns = Selection("columns") { (board: Board) in board.columns }
        .reading(\.columns)

    /// Some cards of a column, from top to bottom; none if there is no such column.
    public static let column = Selection("column", rows: \Board.cards) { (part: ColumnPart) in
        part.query
    }

    /// The card whose id is the parameter; nil if there is none.
    public static let card = Selection("card", row: \Board.cards)

    /// The first cards that are assigned to the viewer, and how many there are; none for an
    /// anonymous one.
    public static let myCards = Selection("myCards", rows: \Board.cards) {
        (_: NoParameters, me: Identity) in
        RowQuery().where(\.assignee, is: me.id)
            .limit(me == .anonymous ? 0 : BoardLimits.cardsPerPage).counted()
    }

    /// The newest cards that have some words or that somebody does, and how many there are in all.
    ///
    /// For each search in use a changed card is asked whether it is found; at first all cards are,
    /// which takes some milliseconds for 10,000.
    public static let search = Selection("search", rows: \Board.cards) { (part: SearchPart) in
        part.query
    }

    /// What was done of late to the card or column whose id is the parameter; nil if nothing was.
    public static let history = Selection("history", row: \Board.histories)

    /// The newest messages, oldest first.
    public static let chat = Selection("chat") { (board: Board) in board.chat }
        .reading(\.chat)

    /// Who is present, in the order of their arrival.
    public static let present = Selection("present") { (board: Board) in
        board.presence.participants.map { Participant($0) }
    }
    .reading(\.presence)
}

/// Which cards of a column a client wants to see.
public struct ColumnPart: Codable, Hashable, Sendable {
    /// The column.
    public var column: Column.ID
    /// How many cards; ``BoardLimits/cardsPerPage`` if it is nil or more.
    public var limit: Int?
    /// Those below a place: the `end` of the page above. Nil is the top of the column.
    public var after: RowCursor?
    /// Those above a place, the `start` of the page below; it goes before `after`.
    public var before: RowCursor?

    /// The first cards of a column, or those next to a place.
    public init(
        column: Column.ID, limit: Int? = nil, after: RowCursor? = nil, before: RowCursor? = nil
    ) {
        self.column = column
        self.limit = limit
        self.after = after
        self.before = before
    }

    var query: RowQuery<Card> {
        let cards = RowQuery().where(\Card.column, is: column)
            .limit(min(limit ?? .max, BoardLimits.cardsPerPage))
        return before == nil ? cards.after(after) : cards.before(before)
    }
}

/// Which cards of a board a client looks for: those for which all of it holds, and none if nothing
/// is asked for.
public struct SearchPart: Codable, Hashable, Sendable {
    /// Words that the text has to have, in any order, in capitals or not; they are looked for within
    /// others, too.
    public var text: String?
    /// The id of the user who does it.
    public var assignee: String?

    /// What to look for.
    public init(text: String? = nil, assignee: String? = nil) {
        self.text = text
        self.assignee = assignee
    }

    /// What has to be found, each as the bytes of its lower-case letters.
    private var words: [[UInt8]] {
        let text = String((text ?? "").unicodeScalars.prefix(BoardLimits.search))
        return text.lowercased().split(whereSeparator: \.isWhitespace).map { Array($0.utf8) }
    }

    var query: RowQuery<Card> {
        let words = words
        var cards = RowQuery<Card>().sorted(by: \.created, descending: true).counted()
        if let assignee { cards = cards.where(\.assignee, is: assignee) }
        guard !words.isEmpty else { return cards.limit(assignee == nil ? 0 : BoardLimits.found) }
        return cards.limit(BoardLimits.found).filter { card in
            let text = Array(card.text.lowercased().utf8)
            return words.allSatisfy { text.has($0) }
        }
    }
}

extension [UInt8] {
    /// Whether it has these bytes, which are some, one behind the other.
    fileprivate func has(_ bytes: [UInt8]) -> Bool {
        guard count >= bytes.count else { return false }
        return (0...(count - bytes.count)).contains { start in
            self[start] == bytes[0] && self[start..<(start + bytes.count)].elementsEqual(bytes)
        }
    }
}

/// How much is on a board.
public struct Summary: Codable, Equatable, Sendable {
    /// The number of columns.
    public var columns: Int
    /// The number of cards in all columns.
    public var cards: Int
    /// The number of votes for all cards.
    public var votes: Int
    /// The number of messages that the chat holds.
    public var messages: Int
    /// The number of people who are present.
    public var present: Int

    /// Counts what is on `board`. O(1), as the board keeps count.
    public init(of board: Board) {
        columns = board.columns.count
        cards = board.cards.count
        votes = board.votes
        messages = board.chat.count
        present = board.presence.participants.count
    }
}

/// Someone who is present at the board.
public struct Participant: Codable, Equatable, Sendable, Identifiable {
    /// The user's id; `""` for all who are anonymous.
    public let id: String
    /// The name that others see.
    public let name: String
    /// When the first of their clients connected.
    public let since: Timestamp

    /// A participant.
    public init(id: String, name: String, since: Timestamp) {
        self.id = id
        self.name = name
        self.since = since
    }

    /// What others see of someone who is present.
    init(_ participant: Presence.Participant) {
        self.init(
            id: participant.id,
            name: participant.id.isEmpty ? Self.anonymousName : participant.id,
            since: participant.since)
    }

    /// The name of an anonymous user.
    package static let anonymousName = "anonymous"
}
