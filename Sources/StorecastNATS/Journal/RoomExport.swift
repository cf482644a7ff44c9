package import StorecastRoom
import StorecastSync

/// A room at JetStream as the lines of a journal's text, up to where its log ended when the first
/// of them was read. It only reads.
package actor RoomExport {
    private let room: String
    private let logs: JetStreamLogs
    private let snapshots: JetStreamSnapshots
    /// Where the log ended at the beginning; nil before.
    private var end: LogState?
    private var place = LogPlace(after: 0)
    /// What is read, and isn't in a line yet.
    private var entries: ArraySlice<(offset: UInt64, record: JournalRecord)> = []
    /// The offsets of the snapshots to come.
    private var places: ArraySlice<UInt64> = []
    /// The offset of the last entry that is in a line.
    private var last: UInt64 = 0
    /// Its offset there. Entries count from 1: JetStream's offsets have gaps, and of many rooms
    /// behind one another they would become too large.
    private var number: UInt64 = 0

    init(of room: String, _ logs: JetStreamLogs, _ snapshots: JetStreamSnapshots) {
        self.room = room
        self.logs = logs
        self.snapshots = snapshots
    }

    /// The next lines; none after the last, nor of a room in which nothing has happened.
    ///
    /// - Throws: ``JournalError/truncated(below:)`` if entries that were to follow have been
    ///   forgotten meanwhile: then one has to begin anew.
    package func next() async throws(JournalError) -> [JournalLine] {
        guard let end else { return try await begin() }
        if places.first == last {
            places.removeFirst()
            if let snapshot = try await snapshot(at: last) { return [.snapshot(snapshot)] }
        }
        guard last < end.head else { return [] }
        while entries.isEmpty { try await read(to: end) }
        var lines: [JournalLine] = []
        while let entry = entries.popFirst() {
            number += 1
            last = entry.offset
            lines.append(.entry(offset: number, entry.record))
            // Of what isn't the last entry of anything.
            while let place = places.first, place < last { places.removeFirst() }
            if places.first == last { break }
        }
        return lines
    }

    /// The header, and the snapshot with which the history begins if there is one.
    private func begin() async throws(JournalError) -> [JournalLine] {
        guard let end = try await logs.end(of: room) else { return [] }
        if end.isImport { throw JetStreamLogs.unfinished(room) }
        guard end.head > 0 else { return [] }
        let header = JournalLine.header(room: room, epoch: end.epoch)
        let all = try await snapshots.offsets(of: room)
        places = all.filter { $0 >= end.floor && $0 <= end.head }[...]
        while let offset = places.first, end.floor > 0 || offset == 0 {
            places.removeFirst()
            guard let first = try await snapshots.read(of: room, at: offset) else { continue }
            // Where nothing had happened yet is the beginning of all.
            number = first.version == 0 ? 0 : 1
            last = offset
            place = LogPlace(after: offset)
            self.end = end
            return [header, .snapshot(moved(first))]
        }
        if end.floor > 0 {
            let floor = try await logs.end(of: room)?.floor ?? 0
            if floor > end.floor { throw .truncated(below: floor + 1) }
            throw .damaged(
                "The entries of room '\(room)' up to offset \(floor) are no longer kept, and "
                    + "there is no good snapshot from that time.")
        }
        self.end = end
        return [header]
    }

    /// Reads some more entries.
    private func read(to end: LogState) async throws(JournalError) {
        let page: PagedTail<LogPlace>.Page
        do throws(JournalError) { page = try await logs.page(of: room, from: place) } catch {
            guard case .damaged(let problem) = error else { throw error }
            throw .damaged("The log of room '\(room)' is damaged: \(problem)")
        }
        place = page.end
        entries = page.entries.prefix { $0.offset <= end.head }
        if entries.isEmpty, page.isLast || !page.entries.isEmpty {
            throw .damaged("The log of room '\(room)' lacks its entry at offset \(end.head).")
        }
    }

    private func snapshot(at offset: UInt64) async throws(JournalError) -> JournalSnapshot? {
        try await snapshots.read(of: room, at: offset).map { moved($0) }
    }

    /// A snapshot with the offset that the last entry has in the text.
    private func moved(_ snapshot: JournalSnapshot) -> JournalSnapshot {
        JournalSnapshot(offset: number, version: snapshot.version, content: snapshot.content)
    }
}
