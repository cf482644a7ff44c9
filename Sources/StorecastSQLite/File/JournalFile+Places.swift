import GRDB
import StorecastRoom

extension JournalFile {
    /// Up to which offset a room's entries are no longer kept; 0 if all are. O(log n).
    package func floor(of room: String) throws(JournalError) -> UInt64 {
        try read { database in try RoomLog(named: room, in: database)?.floor.offset ?? 0 }
    }

    /// The offset behind which the last `count` entries of a room stand. O(count).
    package func offset(beforeLast count: Int, of room: String) throws(JournalError) -> UInt64 {
        try read { database in
            guard let log = try RoomLog(named: room, in: database) else { return 0 }
            let offset = try Int64.fetchOne(
                database,
                sql: """
                    SELECT offset FROM entries WHERE room = ? ORDER BY offset DESC LIMIT 1 OFFSET ?
                    """, arguments: [log.id, count])
            return offset.map { UInt64(bitPattern: $0) } ?? log.floor.offset
        }
    }
}
