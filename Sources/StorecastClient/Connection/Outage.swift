public import StorecastSync

/// How long a connection has been away, why, and what comes next.
public struct Outage: Sendable, Equatable {
    /// When the connection was lost, or first tried if it never was there; by this machine's clock.
    public var since: Timestamp
    /// When the next try is made, unless ``RemoteConnection/reconnect()`` makes one before.
    public var retryAt: Timestamp
    /// What went wrong the last time; a sentence for a person.
    public var reason: String
}
