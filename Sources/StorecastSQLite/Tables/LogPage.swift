import GRDB
import GRDBSQLite
import StorecastRoom

/// Consecutive entries of a room whose checksums were found right.
struct LogPage: Sendable {
    /// The most entries of a page: a room replays a page in one turn of its loop.
    static let entries = 500
    /// A page ends with the entry that makes its texts larger than this.
    static let bytes = 1 << 20

    /// Where a page begins.
    enum Start: Sendable {
        /// After this offset, or the newest entry before it.
        case offset(UInt64)
        /// After an entry that was read before.
        case entry(LogPlace)
    }

    var entries: [(offset: UInt64, record: JournalRecord)] = []
    /// Where the next page begins.
    var end: LogPlace
    /// Whether there were no more entries.
    var isLast = true

    /// Reads the entries of a room after `start`.
    ///
    /// Throws ``JournalError/damaged(_:)`` if the first of them isn't what was written. A later one
    /// ends the page before it.
    init(of room: String, from start: Start, in database: Database) throws {
        guard let log = try RoomRow(named: room, in: database) else {
            end = .beginning(of: room)
            return
        }
        end = try start.place(in: log, of: database)
        try read(log, in: database)
    }

    private mutating func read(_ log: RoomRow, in database: Database) throws {
        var size = 0
        let rows = try EntryRows(of: log.id, after: end.offset, in: database)
        while let (place, row) = try rows.next() {
            guard entries.count < Self.entries, size < Self.bytes else {
                isLast = false
                return
            }
            do {
                entries.append((place.offset, try row.verified(at: place, after: end)))
            } catch  where !entries.isEmpty {
                isLast = false
                return
            }
            size += row.textBytes
            end = place
        }
    }
}

extension EntryRow {
    /// The record, if this row is what was written after `previous`.
    func verified(at place: LogPlace, after previous: LogPlace) throws -> JournalRecord {
        guard checksum(at: place.offset, after: previous.checksum) == place.checksum,
            let record = try? record()
        else {
            throw JournalError.damaged(
                "The entry at offset \(place.offset) isn't what was written, or not what was "
                    + "written behind the one at \(previous.offset).")
        }
        return record
    }
}

extension LogPage.Start {
    /// Throws ``JournalError/truncated(below:)`` if the entries after it are no longer kept.
    func place(in log: RoomRow, of database: Database) throws -> LogPlace {
        let offset =
            switch self {
            case .offset(let offset): offset
            case .entry(let place): place.offset
            }
        guard offset >= log.floor.offset else {
            throw JournalError.truncated(below: log.floor.offset + 1)
        }
        if case .entry(let place) = self { return place }
        return try log.last(through: offset, in: database)
    }
}
