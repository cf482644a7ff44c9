import StorecastSync

/// How many dispatches without an outcome a client keeps, and what gives way when there are more.
public struct OutboxLimits: Sendable {
    /// What gives way when an outbox is full.
    public enum Policy: Sendable {
        /// The new dispatch: its outcome is the rejection `outbox-full`, before `dispatch` returns.
        case refuseNewest
        /// While there is no connection, the oldest dispatches that were never sent: their outcome
        /// is the rejection `outbox-full`. What may have reached the server is never dropped, and
        /// neither is anything while there is a connection; then the new dispatch is refused.
        case dropOldest
    }

    /// How many dispatches there may be; 100,000.
    public var count: Int
    /// How many bytes they may take on the wire, about 160 each beside their payload; 16 MiB.
    public var bytes: Int
    /// What gives way when there is no room.
    public var whenFull: Policy

    /// Bounds; the defaults suit an app that is offline for a day.
    public init(
        count: Int = 100_000, bytes: Int = 16 << 20, whenFull: Policy = .refuseNewest
    ) {
        self.count = count
        self.bytes = bytes
        self.whenFull = whenFull
    }
}
