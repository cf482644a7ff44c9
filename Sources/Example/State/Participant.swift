public import StorecastSync

/// Someone who is at the board.
public struct Participant: Codable, Equatable, Sendable, Identifiable {
    /// The user's id; for an anonymous one `"guest:"` and the name.
    public let id: String
    /// What the others see.
    public internal(set) var name: String
    /// When the server received the (first) ``Arrive``.
    public let since: Timestamp

    /// A participant.
    public init(id: String, name: String, since: Timestamp) {
        self.id = id
        self.name = name
        self.since = since
    }

    /// The id under which `sender` is present.
    package static func id(of sender: Identity, named name: String? = nil) -> String {
        sender == .anonymous ? "guest:" + (name ?? anonymousName) : sender.id
    }

    /// What an anonymous user without a name is called.
    package static let anonymousName = "anonymous"
}
