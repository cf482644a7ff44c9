/// Says what the sender is about, for all to see in ``Presence``: "typing", say.
///
/// List it among a room's actions to take it from clients.
public struct SetStatus: Stamped, Equatable {
    /// A few words or a token of the application's own; nil for none. Of a long one the beginning
    /// counts, see ``Presence/statusBytes``.
    public var status: String?
    /// Whose it is, from the server.
    public var stamp = Stamp()

    /// An action to dispatch.
    public init(_ status: String?) {
        self.status = status
    }
}
