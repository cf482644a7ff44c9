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

extension RemoteConnection.Status: CustomStringConvertible {
    /// A word, and why where there is a reason.
    public var description: String {
        switch self {
        case .connecting: "connecting"
        case .live: "live"
        case .offline(let outage): "offline: \(outage.reason)"
        case .closed(nil): "closed"
        case .closed(let rejection?): "closed: \(rejection)"
        }
    }
}
