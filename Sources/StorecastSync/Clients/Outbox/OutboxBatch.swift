/// A piece of an outbox's log, and what is stored when it is.
struct OutboxBatch {
    var log = OutboxLog()
    /// The last dispatch in it.
    let stored: UInt64
    /// The dispatches that are settled.
    let settled: UInt64
    /// How many of those that ended on their own.
    let ended: Int
    /// Whether something waits until a crash can't undo it.
    let mustSync: Bool
}
