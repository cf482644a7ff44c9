/// How much a client keeps of its mirrors for its next start, and how often it is written.
public struct CacheLimits: Sendable {
    /// How many bytes it may have in all; 16 MiB. Of what is more, the selections go first that
    /// weren't mirrored for the longest time.
    public var bytes: Int
    /// How many bytes of JSON text the value of one selection may have; 4 MiB. A larger one isn't
    /// kept.
    public var selectionBytes: Int
    /// How long changes wait to be written together; 10 seconds, and one more for each 256 KiB of
    /// the last file. The first time, when nothing was kept, it is at most one second. Closing writes
    /// at once.
    public var interval: Duration

    /// Bounds; the defaults suit an app.
    public init(
        bytes: Int = 16 << 20, selectionBytes: Int = 4 << 20, interval: Duration = .seconds(10)
    ) {
        self.bytes = bytes
        self.selectionBytes = selectionBytes
        self.interval = interval
    }
}
