import StorecastSync
import StorecastWire

extension Outbox {
    /// Up to where dispatches are settled and that is stored for good. No server is told more: it
    /// forgets their outcomes.
    var recordedSettled: UInt64 { recording?.settled ?? settled }

    /// Whether there is something to store.
    var hasUnstored: Bool {
        guard let recording else { return false }
        return admitted > recording.stored || settled > recording.written || mustSync
    }

    /// Whether something can't go on before what is written has been synced.
    private var mustSync: Bool {
        guard let recording else { return false }
        return admitted > recording.stored || recording.isSyncDue
            || settled > recording.settled && (hasGap || isWindowHeld)
    }

    /// The records that aren't stored yet, to be written now.
    mutating func beginStoring() -> OutboxBatch? {
        guard let recording, hasUnstored else { return nil }
        var batch = batch(mustSync: mustSync)
        for seq in recording.ended where seq > settled { batch.log.append(.ended(seq)) }
        if settled > recording.written { batch.log.append(.settled(settled)) }
        append(from: place(from: recording.stored + 1), to: &batch.log)
        self.recording?.begin(batch)
        return batch
    }

    /// Everything that a new log must say behind its `first` record, to be written now.
    mutating func beginReplacing(_ first: OutboxRecord) -> OutboxBatch {
        var batch = batch(mustSync: true)
        batch.log.append(first)
        if settled > 0 { batch.log.append(.settled(settled)) }
        append(from: self.first, to: &batch.log)
        // Numbers that were used aren't used again, though nothing is left of the last of them.
        let listed = entries.last { $0.seq <= admitted && !$0.isEnded }?.seq ?? settled
        if admitted > listed { batch.log.append(.ended(admitted)) }
        recording?.begin(batch)
        return batch
    }

    /// `batch` is stored.
    mutating func finishStoring(_ batch: OutboxBatch) {
        recording?.finish(batch)
    }

    private func batch(mustSync: Bool) -> OutboxBatch {
        OutboxBatch(
            stored: admitted, settled: settled, ended: recording?.ended.count ?? 0,
            endCount: recording?.endCount ?? 0, mustSync: mustSync)
    }

    private func append(from start: Int, to log: inout OutboxLog) {
        for entry in entries[start...] {
            guard entry.seq <= admitted else { return }
            guard let outgoing = entry.outgoing else { continue }
            log.append(
                .dispatched(
                    seq: entry.seq, base: entry.base, type: outgoing.type,
                    payload: outgoing.payload))
        }
    }
}

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

    /// Dispatches from `seq` on have other bases than what is stored of them.
    mutating func rewrite(from seq: UInt64) {
        stored = min(stored, seq - 1)
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
