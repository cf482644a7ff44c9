extension Presence {
    /// Someone who is in the room, with one client or several.
    public struct Participant: Codable, Equatable, Sendable, Identifiable {
        /// The id of the identity; `""` for all who are anonymous.
        public let id: String
        /// How many clients they have in the room; at least 1.
        public internal(set) var clients: Int
        /// When the first of these came.
        public let since: Timestamp
        /// What they said of themselves by ``SetStatus``.
        public internal(set) var status: String?

        /// A participant.
        public init(id: String, clients: Int = 1, since: Timestamp, status: String? = nil) {
            self.id = id
            self.clients = clients
            self.since = since
            self.status = status
        }
    }
}
