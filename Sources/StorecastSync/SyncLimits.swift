package import StorecastWire

/// How much of everything a room holds for its clients, and takes from them.
public struct SyncLimits: Sendable {
    /// The largest message from a client, in bytes; 1 MiB.
    public var messageBytes = 1 << 20
    /// How deep arrays and objects may be nested in a message; 64.
    public var depth = 64
    /// How many dispatches of a client may be without an outcome; 1,024.
    public var window = 1024
    /// How many subscriptions a connection may have; 256.
    public var subscriptions = 256
    /// The longest parameters of a subscription, in bytes of JSON text; 4 KiB. They are kept as long
    /// as it lives.
    public var parameterBytes = 4 << 10
    /// How many bytes of replies may wait for a connection before the server stops reading from
    /// it; 64 KiB.
    public var controlBytes = 64 << 10
    /// How many bytes of past patches a selection group keeps, 256 KiB; it never keeps more than
    /// a snapshot takes.
    public var historyBytes = 256 << 10
    /// Of how many clients a room remembers what was settled; 100,000. The least recently seen is
    /// forgotten first.
    public var clients = 100_000
    /// Seconds of silence after which a client pings; 30.
    public var heartbeat = 30
    /// When a room's state is written to a durable journal, and how many such snapshots it keeps.
    public var snapshots = SnapshotPolicy()

    /// The defaults.
    public init() {}

    package var json: JSONLimits {
        var limits = JSONLimits()
        limits.bytes = messageBytes
        limits.depth = depth
        return limits
    }

    package var frame: ServerFrame.Limits {
        ServerFrame.Limits(
            message: UInt64(messageBytes), window: UInt64(window),
            subscriptions: UInt64(subscriptions), depth: UInt64(depth))
    }
}
