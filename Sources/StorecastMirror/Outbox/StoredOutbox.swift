package import StorecastSync
import StorecastWire

/// An outbox that was read from its storage, and what keeps that up to date.
package struct StoredOutbox {
    package let outbox: SharedOutbox
    package let recorder: OutboxRecorder

    /// Opens the outbox in `storage`, or makes one there.
    ///
    /// - Parameters:
    ///   - room: names the room; an outbox of another one is refused.
    ///   - actions: the types as which what is left is shown again.
    ///   - client: the client's id, if there is none yet.
    package init(
        in storage: any OutboxStorage, room: String, actions: ActionCatalogue,
        limits: OutboxLimits, client: String,
        stamps: (_ client: String) -> ProvisionalStamps
    ) throws(Rejection) {
        let text = try storage.read()
        // What a process wrote that died before it could sync is counted as stored from here on.
        try storage.sync()
        let (records, isWhole) = OutboxLog.read(text)
        var (owner, isNew) = (client, true)
        if case .opened(let client, let home, _) = records.first {
            guard RoomPath.areOneRoom(home, room) else {
                throw Rejection(
                    .outboxUnreadable, "The outbox belongs to another room.",
                    detail: "It belongs to '\(home)'. Use a file for each room.")
            }
            (owner, isNew) = (client, false)
        } else if text.contains(UInt8(ascii: "\n")) {
            throw Rejection(
                .outboxUnreadable, "The outbox can't be read.",
                detail: "It doesn't begin like an outbox of this version. Move it away.")
        }
        var outbox = Outbox(limits: limits, stamps: stamps(owner))
        outbox.restore(records.dropFirst(), actions)
        self.outbox = SharedOutbox(client: owner, outbox)
        recorder = OutboxRecorder(
            storage, room: room, opening: Self.openings(records) + 1, size: text.count,
            isWhole: isWhole && !isNew)
    }

    /// How often it was opened before, as far as that was stored.
    private static func openings(_ records: [OutboxRecord]) -> UInt64 {
        records.reduce(0) { most, record in
            guard case .opened(_, _, let opening) = record else { return most }
            return max(most, opening)
        }
    }
}

extension Outbox {
    /// Takes what an earlier process left.
    fileprivate mutating func restore(
        _ records: some Sequence<OutboxRecord>, _ actions: ActionCatalogue
    ) {
        var (settled, last) = (0 as UInt64, 0 as UInt64)
        var pending: [(seq: UInt64, outgoing: OutgoingAction)] = []
        var bases: [UInt64: UInt64] = [:]
        var ended: Set<UInt64> = []
        for record in records {
            switch record {
            case .opened: break
            case .dispatched(let seq, let base, let type, let payload):
                bases[seq] = base
                guard seq > last else { continue }
                last = seq
                let action = actions.action(restoring: type, payload)
                pending.append(
                    (seq, OutgoingAction(type: type, payload: payload, action: action)))
            case .settled(let seq): settled = max(settled, seq)
            case .ended(let seq):
                ended.insert(seq)
                last = max(last, seq)
            }
        }
        for (seq, outgoing) in pending where seq > settled && !ended.contains(seq) {
            restore(outgoing, seq: seq, base: bases[seq] ?? 0)
        }
        noteRestored(through: max(settled, last))
        recording = OutboxRecording(stored: lastSeq, settled: settled)
    }
}

extension ActionCatalogue {
    /// The action that was stored, if its type is known and still reads it.
    fileprivate func action(restoring type: String, _ payload: [UInt8]) -> (any SyncAction)? {
        guard !payload.isEmpty else { return try? action(type, nil) }
        guard let document = try? JSONDocument(payload, limits: .trusted) else { return nil }
        return try? action(type, document.root)
    }
}
