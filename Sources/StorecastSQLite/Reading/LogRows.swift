import GRDB
import GRDBSQLite

/// The rows of a room behind an offset, one by one.
final class LogRows {
    private let statement: Statement
    private let database: Database
    private let tombstones: [UInt64: [UInt8]]

    /// One at a time for a database, as it takes its cached statement.
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
            throw DatabaseError(
                resultCode: ResultCode(rawValue: code),
                message: database.sqliteConnection.map { String(cString: sqlite3_errmsg($0)) })
        }
    }
}
