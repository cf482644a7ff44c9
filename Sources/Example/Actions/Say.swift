public import StorecastSync

/// Says something in the chat.
public struct Say: Stamped, BoardAction, Equatable {
    /// What is said.
    public var text: String
    /// Who does it and when, from the server.
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
