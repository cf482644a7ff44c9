import GRDB
import GRDBSQLite
import StorecastRoom

/// Reads from a journal's file what a generation doesn't have yet: one segment, in one transaction.
///
/// Snapshots come before the entries: those that the server deletes are in a snapshot by then.
struct SegmentReading {
    /// A segment ends with what makes it larger than this.
    private let bytes: Int
    private let database: Database
    private let start: UInt64
    private var rooms: [Int64: (number: Int, end: LogPlace)] = [:]
    private var writer = SegmentWriter()
    private(set) var position: ReplicaPosition
    /// Whether this is all that the journal has.
    private(set) var isCurrent = true
    /// How many snapshots weren't what was written; they are left out.
    private(set) var badSnapshots = 0

    var records: [UInt8] { writer.bytes }

    /// - Parameter position: where the generation is; nil for one that begins.
    /// - Throws: `damaged` if an entry isn't what was written.
    init(after position: ReplicaPosition?, bytes: Int, in database: Database) throws {
        self.database = database
        self.bytes = bytes
        self.position = position ?? ReplicaPosition()
        start = self.position.end.offset
        self.position.history = try Self.history(in: database)
        self.position.tombstones = try Tombstones.texts(in: database)
        try readSnapshots()
        if isCurrent { try readEntries() }
    }

    private mutating func readSnapshots() throws {
        let known = position.unfinished.map { "\($0)" }.joined(separator: ", ")
        let rows = try Row.fetchAll(
            database,
            sql: """
                SELECT id, room, isWhole FROM snapshots WHERE id > ? OR id IN (\(known))
                ORDER BY id
                """, arguments: [position.snapshot])
        let found = Set(rows.map { $0["id"] as Int64 })
        for row in rows {
            guard writer.bytes.count < bytes else {
                isCurrent = false
                return
            }
            let (id, room, isWhole): (Int64, Int64, Bool) = (row[0], row[1], row[2])
            position.snapshot = max(position.snapshot, id)
            if !isWhole {
                position.unfinished.insert(id)
            } else {
                position.unfinished.remove(id)
                try take(snapshot: id, of: room)
            }
        }
        // The number of one that is gone is given again if it was the highest.
        let newest = try Int64.fetchOne(database, sql: "SELECT max(id) FROM snapshots") ?? 0
        position.unfinished = position.unfinished.filter { found.contains($0) || $0 > newest }
    }

    private mutating func take(snapshot id: Int64, of room: Int64) throws {
        guard let snapshot = try SnapshotTable.intact(id, in: database) else {
            badSnapshots += 1
            return
        }
        let number = try place(of: room).number
        ReplicaSegment.Record.snapshot(snapshot, room: number).write(to: &writer)
    }

    private mutating func readEntries() throws {
        let columns = (EntryRow.columns + ["room"]).joined(separator: ", ")
        let statement = try database.cachedStatement(
            sql: "SELECT \(columns) FROM entries WHERE offset > ? ORDER BY offset")
        statement.setUncheckedArguments([Int64(bitPattern: start)])
        defer { sqlite3_reset(statement.sqliteStatement) }
        while true {
            let code = sqlite3_step(statement.sqliteStatement)
            if code == SQLITE_DONE { return }
            guard code == SQLITE_ROW else { throw DatabaseError(code, of: database) }
            guard writer.bytes.count < bytes else {
                isCurrent = false
                return
            }
            let columns = StatementColumns(statement: statement.sqliteStatement)
            try take(SalvagedEntry(columns))
        }
    }

    private mutating func take(_ entry: SalvagedEntry) throws {
        let (number, end) = try place(of: entry.room)
        let (row, place) = (entry.row, entry.place)
        guard row.checksum(at: place.offset, after: end.checksum) == place.checksum else {
            throw JournalError.damaged(
                "The entry at offset \(place.offset) isn't what was written. Stop the server and "
                    + "run: storecast journal repair")
        }
        ReplicaSegment.Record.entry(row, at: place, room: number).write(to: &writer)
        rooms[entry.room] = (number, place)
        position.end = place
    }

    /// A room's number in the segment, and its newest entry so far.
    private mutating func place(of id: Int64) throws -> (number: Int, end: LogPlace) {
        if let room = rooms[id] { return room }
        let name = try String.fetchOne(
            database, sql: "SELECT name FROM rooms WHERE id = ?", arguments: [id])
        guard let name, let log = try RoomRow(named: name, in: database) else {
            throw JournalError.damaged("There is no room with the number \(id).")
        }
        let room = (rooms.count, try log.last(through: start, in: database))
        rooms[id] = room
        ReplicaSegment.Record.room(name, after: room.1).write(to: &writer)
        return room
    }

    private static func history(in database: Database) throws -> UInt64 {
        let history = try Int64.fetchOne(database, sql: "SELECT history FROM journal")
        return UInt64(bitPattern: history ?? 0)
    }
}

extension ReplicaPosition {
    /// Whether the journal in a file goes on from here; else it is another one, or an older copy.
    func isFollowed(in database: Database) throws -> Bool {
        let found = try Int64.fetchOne(database, sql: "SELECT history FROM journal")
        guard found == Int64(bitPattern: history) else { return false }
        guard end.offset > 0 else { return true }
        let offset = Int64(bitPattern: end.offset)
        let kept = try Row.fetchOne(
            database, sql: "SELECT offset, checksum FROM entries WHERE offset = ?",
            arguments: [offset])
        if let kept { return LogPlace(kept) == end }
        // It may have been deleted, as a snapshot has it.
        return try Int64.fetchOne(database, sql: "SELECT max(floor) FROM rooms") ?? 0 >= offset
    }
}
