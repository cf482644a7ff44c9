import StorecastSQLite
import StorecastRoom

/// A recorded room as JSON Lines, one after the other.
struct JournalText {
    private let room: RecordedRoom
    private let withSnapshots: Bool
    private let end: UInt64
    private var reader: EntryReader
    /// Snapshots that are still to come.
    private var snapshots: ArraySlice<(offset: UInt64, version: UInt64, bytes: Int)>
    /// What stands before the next entry.
    private var waiting: [JournalLine]

    /// - Parameters:
    ///   - place: it begins at the newest good snapshot that isn't behind; nil for everything.
    ///   - withSnapshots: whether those that come later are wanted.
    ///   - end: entries behind this offset aren't.
    init(
        of room: RecordedRoom, from place: RoomTraveller.Place?, withSnapshots: Bool,
        through end: UInt64 = .max
    ) throws {
        self.room = room
        self.end = end
        self.withSnapshots = withSnapshots
        waiting = [.header(room: room.name, epoch: room.room.epoch)]
        reader = EntryReader(room, after: room.room.floor)
        snapshots = try room.file.snapshots(of: room.name)[...]
        let first = try Self.beginning(of: room, place, snapshots)
        guard let first else { return }
        waiting.append(.snapshot(first))
        snapshots = snapshots.drop { $0.offset <= first.offset }
        reader = EntryReader(room, after: first.offset)
    }

    /// The snapshot to begin with; nil to begin with the first entry.
    private static func beginning(
        of room: RecordedRoom, _ place: RoomTraveller.Place?,
        _ snapshots: ArraySlice<(offset: UInt64, version: UInt64, bytes: Int)>
    ) throws -> JournalSnapshot? {
        let floor = room.room.floor
        if let place {
            for listed in snapshots.reversed()
            where place.isBehind(listed) && listed.offset >= floor {
                if let kept = try room.snapshot(at: listed.offset) { return kept }
            }
        }
        for listed in snapshots where listed.offset >= floor && (floor > 0 || listed.offset == 0) {
            if let kept = try room.snapshot(at: listed.offset) { return kept }
        }
        guard floor == 0 else {
            throw CommandFailure(
                .trouble,
                "The entries of room '\(room.name)' up to offset \(floor) are no longer kept, and no "
                    + "snapshot of then is good.")
        }
        return nil
    }

    /// The next line in UTF-8, with its end; nil behind the last.
    mutating func next() throws -> [UInt8]? { try nextLine()?.bytes() }

    /// The next line; nil behind the last.
    mutating func nextLine() throws -> JournalLine? {
        if waiting.isEmpty { try read() }
        return waiting.isEmpty ? nil : waiting.removeFirst()
    }

    private mutating func read() throws {
        guard let offset = try reader.nextOffset(), offset <= end, let entry = try reader.next()
        else { return }
        guard entry.isIntact, let record = entry.record else {
            throw CommandFailure(
                .trouble,
                "The entry at offset \(entry.offset) isn't what was written. Stop the server and "
                    + "run: storecast journal repair \(room.file.path)")
        }
        waiting = [.entry(offset: entry.offset, record)]
        while let listed = snapshots.first, listed.offset <= entry.offset {
            snapshots.removeFirst()
            guard withSnapshots, listed.offset == entry.offset,
                let kept = try room.snapshot(at: listed.offset)
            else { continue }
            waiting.append(.snapshot(kept))
        }
    }
}
