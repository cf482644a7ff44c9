/// How much of an ``Outbox`` is stored.
struct OutboxRecording: Sendable {
    /// The last dispatch that is stored for good: nothing above it is sent.
    var stored: UInt64 = 0
    /// What is stored for good to be settled: no more is said to a server, which forgets the outcomes.
    var settled: UInt64 = 0
    /// What is written to be settled.
    var written: UInt64 = 0
    /// Dispatches that ended on their own, of which it isn't written yet.
    private(set) var ended: [UInt64] = []
    /// Whether nobody may be told of something before it is stored for good.
    private(set) var isSyncDue = false

    mutating func noteEnd(of seq: UInt64) {
        isSyncDue = true
        // What was never written can't come back.
        if seq <= stored { ended.append(seq) }
    }

    /// Everything up to `stored`, and that everything up to `settled` is settled, was written.
    mutating func note(stored: UInt64, settled: UInt64, ended: Int, isSynced: Bool) {
        written = settled
        self.ended.removeFirst(ended)
        guard isSynced else { return }
        (self.stored, self.settled) = (stored, settled)
        isSyncDue = false
    }
}
