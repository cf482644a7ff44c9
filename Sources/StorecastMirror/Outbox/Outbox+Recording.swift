import StorecastSync
import StorecastWire

extension Outbox {
    /// What no server is told more of: what is settled, as far as that is stored for good.
    var recordedSettled: UInt64 { recording?.settled ?? settled }

    /// Whether there is something to store.
    var hasUnstored: Bool {
        guard let recording else { return false }
        return admitted > recording.stored || settled > recording.written || mustSync
    }

    /// Whether something waits until a crash can't undo what has come.
    private var mustSync: Bool {
        guard let recording else { return false }
        return admitted > recording.stored || recording.isSyncDue
            || settled > recording.settled && (hasGap || isWindowHeld)
    }

    /// What isn't stored yet, to be written now.
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
