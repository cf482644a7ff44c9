/// What waits for a room's journal, or is on its way to it.
struct JournalQueue {
    /// What came since the last batch was handed to the journal.
    var batch: [JournalEntry] = []
    /// What the journal refused of the server's own dispatches, until they are tried again.
    var postponed: [JournalEntry] = []
    /// All of it, about, in bytes.
    var bytes = 0
    /// Whether a batch is on its way.
    var isAppending = false

    var isEmpty: Bool { batch.isEmpty && postponed.isEmpty && !isAppending }

    /// What an entry takes beside its payload, or without one, about; in bytes.
    static var entryOverhead: Int { 256 }
    /// What an action of the server's own counts as, whatever is in it.
    static var ownSize: Int { 1024 }

    /// Whether an entry more may wait; one always may.
    func hasPlace(for size: Int, _ limits: SyncLimits) -> Bool {
        bytes == 0 || bytes + size <= limits.waitingBytes
    }

    /// Takes out what is to be appended now.
    mutating func takeBatch() -> [JournalEntry] {
        defer { batch = [] }
        return batch
    }
}

/// The dispatches of the server's own code, under a client id of this process's own, so that its
/// numbers never meet those of a process before.
struct OwnDispatches {
    let client: String
    var lastSeq: UInt64 = 0
    /// Of those that are under way, as far as somebody asks.
    var outcomes: [UInt64: DispatchOutcome] = [:]
}
