/// The server says that a client has come to the room.
///
/// It is dispatched in rooms that ask for it with ``RoomDefinition/lifecycle(grace:)``, when a
/// client is welcomed that isn't in the room by its log. Clients can't dispatch it. The time is the
/// stamp's.
public struct ClientJoined: Stamped, ServerAction, Equatable {
    /// Stands for the client in everyone's sight: the same whenever it comes back, and nothing from
    /// which its id, which is a secret, could be worked out.
    public var participant: String
    /// The id of the client's identity; `""` for an anonymous one.
    public var user: String
    /// When it came; the sender is the server.
    public var stamp = Stamp()

    /// An action for tests: only a server's room dispatches it.
    public init(participant: String, user: String) {
        self.participant = participant
        self.user = user
    }
}
