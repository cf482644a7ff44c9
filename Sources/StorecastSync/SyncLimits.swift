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
    /// How many bytes of dispatches may wait in a room for its journal, about; 16 MiB. Beyond,
    /// clients are asked to send theirs again later.
    public var waitingBytes = 16 << 20
    /// How many bytes of past patches a selection group keeps, 256 KiB; it never keeps more than
    /// a snapshot takes.
    public var historyBytes = 256 << 10
    /// How long a selection group outlives its last subscription, so that who reconnects is told only
    /// what changed: at least so long, at most twice; 30 seconds.
    public var lingerTime = Duration.seconds(30)
    /// How many such groups a room keeps; 256. The one that was left first is forgotten first.
    public var lingeringGroups = 256
    /// How many bytes they may take in a room, about: of JSON text, in values and past patches;
    /// 4 MiB.
    public var lingeringBytes = 4 << 20
    /// Of how many clients a room remembers what was settled; 100,000, and those that are connected
    /// beyond it.
    ///
    /// When there are more, those are forgotten that were seen the longest ago, of the identities that
    /// have the most clients; of anonymous ones, of the addresses that do. A client that is connected
    /// isn't forgotten. The room's log says who is: the number may be changed at any time.
    public var clients = 100_000
    /// How many rejections a room remembers that their clients may not know of yet; 100,000. When there
    /// are more, they are forgotten as clients are, but before them.
    public var rejections = 100_000
    /// Seconds of silence after which a client pings; 30.
    public var heartbeat = 30
    /// How long a room in a durable journal stays in memory when nobody is in it; a minute.
    public var unloadAfter = Duration.seconds(60)
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
