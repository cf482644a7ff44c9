import GRDB
import GRDBSQLite
import StorecastRoom

/// A room's row in the table `rooms`.
struct RoomRow: Sendable {
    var id: Int64
    var epoch: String
    /// Entries up to this one are no longer kept; ``LogPlace/beginning(of:)`` if all are.
    var floor: LogPlace

    /// Whether this can be the name of a room.
    static func isName(_ name: String) -> Bool {
        !name.isEmpty && name.utf8.count <= longestName && !name.utf8.contains(0)
    }

    /// In bytes. Servers take no URL with a path this long.
    static let longestName = 4096

    /// Nil if nothing was ever appended to the room.
    init?(named room: String, in database: Database) throws {
        // GRDB would cut the name off there, and find another room.
        guard !room.utf8.contains(0) else {
            throw JournalError.unavailable("A room whose name has a NUL character can't be kept.")
        }
        let statement = try database.cachedStatement(
            sql: """
                SELECT id, epoch, floor AS offset, seal AS checksum FROM rooms WHERE name = ?
                """)
        guard let row = try Row.fetchOne(statement, arguments: [room]) else { return nil }
        id = row["id"]
        epoch = row["epoch"]
        floor = LogPlace(row)
    }

    /// Makes the room's row.
    ///
    /// - Parameter floor: what is no longer kept, if the history doesn't begin with the room.
    init(
        beginning room: String, epoch: String, floor: LogPlace? = nil, in database: Database
    ) throws {
        self.floor = floor ?? .beginning(of: room)
        self.epoch = epoch
        try database.execute(
            sql: "INSERT INTO rooms (name, epoch, floor, seal) VALUES (?, ?, ?, ?)",
            arguments: [
                room, epoch, Int64(self.floor.offset), Int64(bitPattern: self.floor.checksum),
            ])
        id = database.lastInsertedRowID
    }

    /// The row of a room, made if there is none.
    ///
    /// - Parameter history: makes the epoch of a new room.
    static func find(
        _ room: String, orBeginIn history: StoreHistory, _ database: Database
    ) throws -> RoomRow {
        try RoomRow(named: room, in: database)
            ?? RoomRow(beginning: room, epoch: history.epoch(of: room), in: database)
    }

    /// The newest entry.
    func head(in database: Database) throws -> LogPlace { try last(through: .max, in: database) }

    /// The newest entry up to `offset`, or the floor.
    func last(through offset: UInt64, in database: Database) throws -> LogPlace {
        let statement = try database.cachedStatement(
            sql: """
                SELECT offset, checksum FROM entries WHERE room = ? AND offset <= ?
                ORDER BY offset DESC LIMIT 1
                """)
        let limit = Int64(clamping: offset)
        guard let row = try Row.fetchOne(statement, arguments: [id, limit]) else { return floor }
        return LogPlace(row)
    }
}

/// The entries of a room after an offset, one by one.
final class EntryRows {
    private let statement: Statement
    private let database: Database
    private let tombstones: [UInt64: [UInt8]]

    /// One at a time for a database, as it uses its cached statement.
    init(of room: Int64, after offset: UInt64, in database: Database) throws {
        self.database = database
        tombstones = try Tombstones.texts(of: room, in: database)
        statement = try database.cachedStatement(sql: EntryRow.selection)
        statement.setUncheckedArguments([room, Int64(bitPattern: offset)])
    }

    deinit { sqlite3_reset(statement.sqliteStatement) }

    func next() throws -> (place: LogPlace, row: EntryRow)? {
        let code = sqlite3_step(statement.sqliteStatement)
        switch code {
        case SQLITE_ROW:
            let columns = StatementColumns(statement: statement.sqliteStatement)
            let place = LogPlace(offset: columns.number(0), checksum: columns.number(1))
            var row = EntryRow(columns)
            if !tombstones.isEmpty { row.tombstone = tombstones[place.offset] }
            return (place, row)
        case SQLITE_DONE: return nil
        default:
            throw DatabaseError(code, of: database)
        }
    }
}

/// Writes a new room, entry by entry, within the caller's transaction.
struct RoomWriter {
    private let id: Int64
    private var end: LogPlace
    private let database: Database

    /// Makes the room.
    ///
    /// - Parameter floor: the last entry that isn't kept any more; nil if all are.
    init(
        _ name: String, epoch: String, floor: LogPlace? = nil, in database: Database
    ) throws {
        let log = try RoomRow(beginning: name, epoch: epoch, floor: floor, in: database)
        id = log.id
        end = log.floor
        self.database = database
    }

    /// The newest entry.
    var head: UInt64 { end.offset }

    /// Appends an entry; offsets rise.
    mutating func add(_ row: EntryRow, at offset: UInt64) throws {
        var insertion = try EntryInsertion(into: database)
        try insertion.append(row, at: offset, to: id, after: &end)
        if let tombstone = row.tombstone {
            try Tombstones.add(tombstone, over: offset, of: id, in: database)
        }
    }

    func add(_ snapshot: JournalSnapshot) throws {
        try SnapshotTable.insert(snapshot, of: id, in: database)
    }
}
