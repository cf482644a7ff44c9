import Synchronization

extension Room {
    /// The journal has more entries, and they are committed.
    func noteGrowth(by entries: [JournalEntry]) {
        guard context.journal.isDurable else { return }
        snapshots.note(entries: entries.count, bytes: entries.reduce(0) { $0 + $1.size })
        takeSnapshotIfDue()
    }

    /// Whether the journal doesn't know what the room's history begins with. It has to before the
    /// first entry, so that another first state, in a later version of the code, doesn't change the
    /// past.
    var lacksBeginning: Bool {
        context.journal.isDurable && log.offset == 0 && !snapshots.isBegun
    }

    func takeSnapshotIfDue() {
        if context.journal.isDurable, snapshots.isDue { takeSnapshot {} }
    }

    /// Hands the journal a copy of what the room is now; `completion` is called when that is over,
    /// for better or worse.
    func takeSnapshot(_ completion: @escaping () -> Void) {
        guard let snapshot = log.snapshot else { return completion() }
        snapshots.begin()
        let (offset, definition, limits) = (log.offset, definition, limits)
        let size = SnapshotSize()
        context.journal.saveSnapshot(
            of: name, offset: offset, version: snapshot.version,
            content: {
                let content = try snapshot.encoded(schema: definition.schema.version)
                // What it stands for is forgotten: better now than when it is needed.
                if limits.snapshots.kept != nil {
                    let kept = JournalSnapshot(
                        offset: offset, version: snapshot.version, content: content)
                    _ = try RoomSnapshot(kept, of: definition, limits: limits)
                }
                size.bytes.store(content.count, ordering: .relaxed)
                return content
            },
            completion: { [weak self] result in
                self?.snapshotEnded(
                    at: offset, result.map { size.bytes.load(ordering: .relaxed) })
                completion()
            })
    }

    /// What the room is now; nil if it has no state yet.
    package var snapshot: RoomSnapshot<State>? { log.snapshot }

    private func snapshotEnded(at offset: UInt64, _ size: Result<Int, JournalError>) {
        switch size {
        case .success(let size):
            if let forgettable = snapshots.saved(at: offset, size: size) { truncate(forgettable) }
        case .failure(let error):
            snapshots.failed()
            context.host.report(
                "The snapshot of room '\(name)' wasn't written; it is tried again, and the log "
                    + "kept: \(error)")
            context.host.schedule(after: .seconds(60)) { [weak self] in
                self?.snapshots.retry()
                self?.takeSnapshotIfDue()
            }
        }
    }

    private func truncate(_ offset: UInt64) {
        context.journal.truncate(name, through: offset) { [weak self] result in
            guard let self, case .failure(let error) = result else { return }
            context.host.report("The journal of room '\(name)' keeps what is old: \(error)")
        }
    }
}

/// How large a snapshot became, noted where it was written.
private final class SnapshotSize: Sendable {
    let bytes = Atomic(0)
}
