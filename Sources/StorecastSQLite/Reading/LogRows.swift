import GRDB
import GRDBSQLite

/// The rows of a statement made of ``EntryRow/selection``, one by one.
final class LogRows {
    private let statement: Statement
    private let database: Database

    /// - Parameter statement: one with its arguments, which nobody else uses while this lives.
    init(_ statement: Statement, of database: Database) throws {
        self.statement = statement
        self.database = database
    }

    deinit { sqlite3_reset(statement.sqliteStatement) }

    func next() throws -> (place: LogPlace, row: EntryRow)? {
        let code = sqlite3_step(statement.sqliteStatement)
        switch code {
        case SQLITE_ROW:
            let columns = StatementColumns(statement: statement.sqliteStatement)
            let place = LogPlace(offset: columns.number(0), checksum: columns.number(1))
            return (place, EntryRow(columns))
        case SQLITE_DONE: return nil
        default:
            throw DatabaseError(
                resultCode: ResultCode(rawValue: code),
                message: database.sqliteConnection.map { String(cString: sqlite3_errmsg($0)) })
        }
    }
}
