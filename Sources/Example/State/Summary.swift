import StorecastSync

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
    /// The number of people who are there.
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
