import StorecastSync

/// How much of an ``Outbox`` is stored.
struct OutboxRecording: Sendable {
    /// The last dispatch that is stored for good: nothing above it is sent.
    var stored: UInt64 = 0
    /// What is stored for good to be settled: no more is said to a server, which forgets the
    /// outcomes.
    var settled: UInt64 = 0
    /// What is written to be settled.
    var written: UInt64 = 0
    /// Dispatches that ended on their own, of which it isn't written yet.
    private(set) var ended: [UInt64] = []
    /// The last dispatch that may be in the log.
    private var begun: UInt64 = 0
    /// How many dispatches ended on their own, and of how many of them that is stored for good.
    private(set) var endCount = 0
    private var syncedEndCount = 0

    /// What an earlier process stored.
    init(stored: UInt64 = 0, settled: UInt64 = 0) {
        (self.stored, self.settled, written, begun) = (stored, settled, settled, stored)
    }

    /// Whether somebody has to be told of an end, which has to be stored for good before.
    var isSyncDue: Bool { endCount > syncedEndCount }

    mutating func noteEnd(of seq: UInt64) {
        endCount += 1
        // What was never written can't come back.
        if seq <= begun { ended.append(seq) }
    }

    /// `batch` is being written; meanwhile more may end.
    mutating func begin(_ batch: OutboxBatch) {
        begun = max(begun, batch.stored)
    }

    /// `batch` was written.
    mutating func finish(_ batch: OutboxBatch) {
        written = batch.settled
        ended.removeFirst(batch.ended)
        guard batch.mustSync else { return }
        (stored, settled, syncedEndCount) = (batch.stored, batch.settled, batch.endCount)
    }
}
