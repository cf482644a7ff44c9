import StorecastSync

extension ClientSession {
    /// Whether the dispatch has no outcome, told or still to be told. O(n).
    package func isPending(_ seq: UInt64) -> Bool {
        outbox.withLock { outbox in outbox.pendingEntries.contains { $0.seq == seq } }
    }
}
