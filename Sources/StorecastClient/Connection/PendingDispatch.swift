public import StorecastSync

/// A dispatch without an outcome, made by this process or by an earlier one with the same outbox.
public struct PendingDispatch: Sendable, Identifiable {
    /// Counts the client's dispatches.
    public let id: UInt64
    /// The action's name on the wire.
    public let type: String
    /// The action, if its type is known.
    public let action: (any SyncAction)?
    /// To wait for its outcome.
    public let dispatch: Dispatch
}
