import GRDB
import StorecastSync

/// Writes entries behind the ends of the rooms' logs, which it remembers. Used by the writer only.
struct LogWriter {
    private struct RoomEnd {
        var id: Int64
        /// The checksum of the newest entry.
        var checksum: UInt64
    }

    /// More rooms than this are looked up again.
    private static let rememberedRooms = 10_000

    private let history: StoreHistory
    /// The newest offset of all rooms.
    private var newest: UInt64
    private var ends: [ExactString: RoomEnd] = [:]
    /// The same with the transaction under way.
    private var next: UInt64
    private var changes: [ExactString: RoomEnd] = [:]

    init(_ history: StoreHistory, newest: UInt64) {
        self.history = history
        self.newest = newest
        next = newest
    }

    /// Appends a batch within a transaction; returns the offset of its last entry.
    mutating func append(
        _ rows: [EntryRow], to room: String, in database: Database
    ) throws -> UInt64 {
        let key = ExactString(room)
        var end = try changes[key] ?? ends[key] ?? end(of: room, in: database)
        var insertion = StatementBinding(
            try database.cachedStatement(sql: EntryRow.insertion), of: database)
        for row in rows {
            next += 1
            end.checksum = row.checksum(at: next, after: end.checksum)
            try row.insert(&insertion, room: end.id, at: next, checksum: end.checksum)
        }
        changes[key] = end
        return next
    }

    /// The transaction is committed.
    mutating func keep() {
        newest = next
        if ends.count > Self.rememberedRooms { ends.removeAll() }
        ends.merge(changes) { $1 }
        changes.removeAll(keepingCapacity: true)
    }

    /// The transaction isn't.
    mutating func forget() {
        next = newest
        changes.removeAll(keepingCapacity: true)
    }

    /// Looks up the end of a room's log, or begins it.
    private func end(of room: String, in database: Database) throws -> RoomEnd {
        if let log = try RoomLog(named: room, in: database) {
            return RoomEnd(id: log.id, checksum: try log.head(in: database).checksum)
        }
        let log = try RoomLog(beginning: room, epoch: history.epoch(of: room), in: database)
        return RoomEnd(id: log.id, checksum: log.floor.checksum)
    }
}
