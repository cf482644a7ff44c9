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

/// Says something in the chat.
public struct Say: Stamped, BoardAction, Equatable {
    /// What is said.
    public var text: String
    /// Who did it and when, set by the server.
    public var stamp = Stamp()

    /// An action to dispatch.
    public init(text: String) {
        self.text = text
    }

    package func check(_ board: Board, by sender: Identity) throws(Rejection) {
        try BoardLimits.check(text, "message", limit: BoardLimits.message)
    }

    package func apply(to board: inout Board) {
        board.chat.append(
            ChatMessage(id: stamp.id, author: stamp.sender.id, text: text, time: stamp.time))
        if board.chat.count > BoardLimits.messages {
            board.chat.removeFirst(board.chat.count - BoardLimits.messages)
        }
    }
}
