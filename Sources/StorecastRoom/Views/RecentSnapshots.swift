/// The snapshots that a room's groups made last, which they keep for who comes next: however many
/// groups there are, so many bytes, or one snapshot. Every operation is O(1), amortised.
package final class RecentSnapshots {
    private struct Entry {
        weak var group: SelectionGroup?
        let version: UInt64
        /// Of the snapshot and the entry.
        let bytes: Int
    }

    private let limit: Int
    private var entries: [Entry] = []
    private var first = 0
    private var bytes = 0

    /// - Parameter limit: how many bytes are kept.
    package init(limit: Int) {
        self.limit = limit
    }

    /// A group has made a snapshot of so many bytes. Those made first let go of theirs.
    func note(_ group: SelectionGroup, _ size: Int) {
        let entry = Entry(
            group: group, version: group.version, bytes: size + MemoryLayout<Entry>.size)
        entries.append(entry)
        bytes += entry.bytes
        while bytes > limit, first < entries.count - 1 {
            entries[first].group?.forgetSnapshot(of: entries[first].version)
            entries[first].group = nil
            bytes -= entries[first].bytes
            first += 1
        }
        if first > 32, first * 2 > entries.count {
            entries.removeFirst(first)
            first = 0
        }
    }
}
