public import StorecastSync

/// Someone who is at the board.
public struct Participant: Codable, Equatable, Sendable, Identifiable {
    /// The user's id; `""` for all who are anonymous.
    public let id: String
    /// What the others see.
    public let name: String
    /// When the first of their clients came.
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

    /// What an anonymous user is called.
    package static let anonymousName = "anonymous"
}
