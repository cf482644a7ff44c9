import GRDB
import GRDBSQLite
import StorecastSync

/// Some entries of a room, in order, each with its checksum found right.
struct LogPage: Sendable {
    /// The most entries of a page; they are replayed in one go.
    static let entries = 500
    /// A page ends with the entry with which its texts exceed this.
    static let bytes = 1 << 20

    /// Behind what a page begins.
    enum Start {
        /// Whatever is the newest entry up to this offset.
        case offset(UInt64)
        /// An entry that was read.
        case entry(LogPlace)
    }

    var entries: [(offset: UInt64, record: JournalRecord)] = []
    /// Where the next page begins.
    var end: LogPlace
    /// Whether there was nothing behind it.
    var isLast = true

    /// Reads the entries of room `id` behind `start`.
    ///
    /// Throws ``JournalError/damaged(_:)`` at the first that isn't as it was written, when it is
    /// the page's first: the entries before it are a page of their own.
    init(of room: String, from start: Start, in database: Database) throws {
        guard let log = try RoomLog(named: room, in: database) else {
            end = .beginning(of: room)
            return
        }
        end = try start.place(in: log, of: database)
        try read(log, in: database)
    }

    private mutating func read(_ log: RoomLog, in database: Database) throws {
        var size = 0
        let rows = try LogRows(of: log.id, after: end.offset, in: database)
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
    /// The record, if the row is the one that was written behind `previous`.
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
    /// Throws ``JournalError/truncated(below:)`` if what is behind it is no longer kept.
    func place(in log: RoomLog, of database: Database) throws -> LogPlace {
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
