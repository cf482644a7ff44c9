import StorecastSync

/// A piece of an outbox's log, and what is stored when it is.
struct OutboxBatch {
    var log = OutboxLog()
    /// The last dispatch in it.
    let stored: UInt64
    /// The dispatches that are settled.
    let settled: UInt64
    /// How many of those in it of which it hadn't been written that they ended on their own.
    let ended: Int
    /// How many ended on their own before it was made.
    let endCount: Int
    /// Whether something waits until a crash can't undo it.
    let mustSync: Bool
}
