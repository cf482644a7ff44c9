/// When a room's state is written to a durable journal, so that it needn't be reduced again.
public struct SnapshotPolicy: Sendable {
    /// After how many entries; 10,000, which take about 0.1 s to read and reduce.
    public var entries = 10_000
    /// After how many bytes of entries, if that comes first; 16 MiB.
    ///
    /// A snapshot larger than `entries` or `bytes` of log waits until the log has grown by as much
    /// as the last one took: snapshots never cost more writing than the actions do.
    public var bytes = 16 << 20
    /// How many snapshots are kept, at least 1; what is older than all of them is forgotten, its
    /// entries too. Nil, the default, keeps everything, for audit and time travel.
    public var kept: Int?

    /// The defaults.
    public init() {}
}
