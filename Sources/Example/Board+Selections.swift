public import StorecastSync

extension Board {
    /// How much there is of everything.
    public static let summary = Selection("summary") { (board: Board) in Summary(of: board) }

    /// The columns' ids and titles, from left to right.
    public static let columns = Selection("columns") { (board: Board) in
        board.columns.map { ColumnTitle(id: $0.id, title: $0.title) }
    }

    /// The cards of the column whose id is the parameter, from top to bottom; none if there is no
    /// such column.
    public static let column = Selection("column") { (board: Board, id: Column.ID) in
        board.index(ofColumn: id).map { board.columns[$0].cards } ?? []
    }

    /// The card whose id is the parameter; nil if there is none.
    public static let card = Selection("card") { (board: Board, id: Card.ID) -> Card? in
        board.position(of: id).map { board.columns[$0.column].cards[$0.index] }
    }

    /// The cards that are assigned to the viewer, column by column; none for an anonymous one.
    public static let myCards = Selection("myCards") { (board: Board, me: Identity) in
        board.columns.flatMap { column in
            column.cards.filter { me != .anonymous && $0.assignee == me.id }
        }
    }

    /// The newest messages, oldest first.
    public static let chat = Selection("chat") { (board: Board) in board.chat }

    /// Who is present, in the order of their arrival.
    public static let present = Selection("present") { (board: Board) in
        board.presence.participants.map { Participant($0) }
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

    /// Counts what is on `board`. O(cards).
    public init(of board: Board) {
        columns = board.columns.count
        cards = board.columns.reduce(0) { $0 + $1.cards.count }
        votes = board.columns.reduce(0) { sum, column in
            column.cards.reduce(sum) { $0 + $1.voters.count }
        }
        messages = board.chat.count
        present = board.presence.participants.count
    }
}

/// A column without its cards.
public struct ColumnTitle: Codable, Equatable, Sendable, Identifiable {
    /// The column's id: the parameter of the selection ``Board/column``.
    public let id: String
    /// The heading of the cards.
    public let title: String

    /// The id and title of a column.
    public init(id: String, title: String) {
        self.id = id
        self.title = title
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
