import Synchronization

extension Room {
    /// The journal has more entries, and they are committed.
    func noteGrowth(by entries: Int, bytes: Int) {
        guard context.journal.isDurable else { return }
        snapshots.note(entries: entries, bytes: bytes, at: context.host.now)
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
    ///
    /// None is taken while a batch is half committed. A batch that was appended again, as it wasn't
    /// known whether the journal had it, can stand in the log twice; what the room has made of a part
    /// of the second copy isn't what the log has made of all before it.
    func takeSnapshot(_ completion: @escaping () -> Void) {
        guard queue.committing.isEmpty, let snapshot = log.snapshot else { return completion() }
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
            context.loop.flushes.counts.snapshots.written += 1
            if let forgettable = snapshots.saved(at: offset, size: size) { truncate(forgettable) }
        case .failure(let error):
            context.loop.flushes.counts.snapshots.failed += 1
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

/// Decides when a room takes a snapshot, and what the journal may forget after one.
struct SnapshotSchedule {
    /// What was appended, as far as it counts.
    private struct Growth {
        var entries = 0
        var bytes = 0
        /// When the first of it was.
        var since: Duration?
    }

    /// Below this many entries a room that leaves memory is read as quickly without a snapshot.
    static let worthwhileEntries = 100

    private let policy: SnapshotPolicy
    /// Since the last snapshot, or the one that is being written.
    private var growth = Growth()
    /// Up to the one that is being written; nil if none is.
    private var written: Growth?
    private var lastSize = 0
    /// Whether the journal has a snapshot.
    private(set) var isBegun = false
    private var isHeldOff = false
    /// The offsets of the newest snapshots, oldest first.
    private var kept: [UInt64] = []

    init(_ policy: SnapshotPolicy) {
        self.policy = policy
    }

    var isWriting: Bool { written != nil }

    /// Whether one is to be taken now.
    var isDue: Bool {
        guard !isWriting, !isHeldOff, growth.bytes >= lastSize else { return false }
        return growth.entries >= policy.entries || growth.bytes >= policy.bytes
    }

    /// Whether one is to be taken before the room leaves memory.
    var isWorthwhile: Bool { !isWriting && !isHeldOff && growth.entries >= Self.worthwhileEntries }

    /// Since when there is something that no snapshot has; nil if there is nothing.
    var unsavedSince: Duration? { written?.since ?? growth.since }

    /// Notes entries and what they take, about, in bytes.
    mutating func note(entries: Int, bytes: Int, at now: Duration) {
        growth.entries += entries
        growth.bytes += bytes
        if entries > 0, growth.since == nil { growth.since = now }
    }

    /// Notes the snapshot that the room was read from.
    mutating func found(at offset: UInt64, size: Int) {
        kept = [offset]
        lastSize = size
        isBegun = true
    }

    mutating func begin() {
        written = growth
        growth = Growth()
    }

    /// Notes that the journal has it; returns the offset up to which it may forget entries.
    mutating func saved(at offset: UInt64, size: Int) -> UInt64? {
        written = nil
        lastSize = size
        isBegun = true
        guard let limit = policy.kept else { return nil }
        kept.append(offset)
        guard kept.count > max(1, limit) else { return nil }
        kept.removeFirst(kept.count - max(1, limit))
        return kept[0]
    }

    /// Notes that it wasn't written; none is due until ``retry()``.
    mutating func failed() {
        growth.entries += written?.entries ?? 0
        growth.bytes += written?.bytes ?? 0
        growth.since = written?.since ?? growth.since
        written = nil
        isHeldOff = true
    }

    mutating func retry() { isHeldOff = false }
}
