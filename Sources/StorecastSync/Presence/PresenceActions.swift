/// The server says that a client has come to the room.
///
/// It is dispatched in rooms that ask for it with ``RoomDefinition/lifecycle(grace:)``, when a
/// client is welcomed that isn't in the room by its journal. Clients can't dispatch it. The time is
/// the stamp's.
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

/// Says what the sender is about, for all to see in ``Presence``: "typing", say.
///
/// List it among a room's actions to take it from clients.
public struct SetStatus: Stamped, Equatable {
    /// A few words or a token of the application's own; nil for none. Of a long one the beginning
    /// counts, see ``Presence/statusBytes``.
    public var status: String?
    /// Its sender, from the server.
    public var stamp = Stamp()

    /// An action to dispatch.
    public init(_ status: String?) {
        self.status = status
    }
}
