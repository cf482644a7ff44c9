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

    /// What isn't stored yet.
    func unstored() -> OutboxBatch? {
        guard let recording, hasUnstored else { return nil }
        var batch = OutboxBatch(
            stored: admitted, settled: settled, ended: recording.ended.count,
            mustSync: mustSync)
        for seq in recording.ended where seq > settled { batch.log.append(.ended(seq)) }
        if settled > recording.written { batch.log.append(.settled(settled)) }
        append(from: place(from: recording.stored + 1), to: &batch.log)
        return batch
    }

    /// Everything that a new log must say.
    func image(client: String, room: String) -> OutboxBatch {
        var batch = OutboxBatch(
            stored: admitted, settled: settled, ended: recording?.ended.count ?? 0, mustSync: true)
        batch.log.append(.opened(client: client, room: room))
        if settled > 0 { batch.log.append(.settled(settled)) }
        append(from: first, to: &batch.log)
        return batch
    }

    /// `batch` is stored.
    mutating func noteStored(_ batch: OutboxBatch) {
        recording?.note(
            stored: batch.stored, settled: batch.settled, ended: batch.ended,
            isSynced: batch.mustSync)
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
