public import StorecastSync

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
