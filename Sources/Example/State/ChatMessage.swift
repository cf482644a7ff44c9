public import StorecastSync

/// A message in a board's chat.
public struct ChatMessage: Codable, Equatable, Sendable, Identifiable {
    /// Unique on the board.
    public let id: String
    /// The id of the user who said it; `""` for an anonymous one.
    public let author: String
    /// What was said.
    public let text: String
    /// When the server received it.
    public let time: Timestamp

    /// A message.
    public init(id: String, author: String, text: String, time: Timestamp) {
        self.id = id
        self.author = author
        self.text = text
        self.time = time
    }
}
