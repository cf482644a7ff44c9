/// Decides when a room takes a snapshot, and what the journal may forget after one.
struct SnapshotSchedule {
    /// What was appended, as far as it counts.
    private struct Growth {
        var entries = 0
        var bytes = 0
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

    /// Notes entries and what they take, about, in bytes.
    mutating func note(entries: Int, bytes: Int) {
        growth.entries += entries
        growth.bytes += bytes
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
        written = nil
        isHeldOff = true
    }

    mutating func retry() { isHeldOff = false }
}
