/// The server says that a client has left the room: its connection ended, and it didn't come back
/// within the grace period of ``RoomDefinition/lifecycle(grace:)``.
///
/// Follows a ``ClientJoined`` of the same participant and user. Clients can't dispatch it. The
/// stamp's time is that of the end of the grace period.
public struct ClientLeft: Stamped, ServerAction, Equatable {
    /// The participant that joined.
    public var participant: String
    /// The id of its identity, as it was when it joined.
    public var user: String
    /// When it was given up; the sender is the server.
    public var stamp = Stamp()

    /// An action for tests: only a server's room dispatches it.
    public init(participant: String, user: String) {
        self.participant = participant
        self.user = user
    }
}
