import GRDB
import GRDBSQLite

/// Reads the rows of a table in the order of their row ids, as far as SQLite can. Skips rows on
/// broken pages, and reports the gaps.
///
/// Rows that can be read may hold anything; only that their ids rise is certain.
final class SalvageCursor {
    enum Step {
        /// A row; its id is column 0.
        case row(StatementColumns)
        /// No row can be read after `after`, up to `through`.
        case gap(after: Int64, through: Int64)
    }

    private let database: Database
    private let statement: Statement
    private var last: Int64 = 0
    /// The statement's current row wasn't returned yet.
    private var isAhead = false
    private var isOver = false

    /// - Parameter columns: the first is the table's row id.
    init(_ columns: [String], of table: String, in database: Database) throws {
        self.database = database
        // Not by an index, which may be broken while the table isn't.
        statement = try database.makeStatement(
            sql: """
                SELECT \(columns.joined(separator: ", ")) FROM \(table) NOT INDEXED
                WHERE \(columns[0]) > ? ORDER BY \(columns[0])
                """)
        try bind(last)
    }

    func next() throws -> Step? {
        guard !isOver else { return nil }
        guard try isAhead || step() else { return try passOver() }
        isAhead = false
        guard !isOver else { return nil }
        let columns = StatementColumns(statement: statement.sqliteStatement)
        last = Int64(bitPattern: columns.number(0))
        return .row(columns)
    }

    /// Finds the next row that can be read: in growing steps, then by bisection.
    private func passOver() throws -> Step {
        let start = last
        var (bad, good, stride) = (last, last, Int64(1))
        while bad == good {
            let (probe, overflows) = bad.addingReportingOverflow(stride)
            good = overflows ? .max : probe
            if try !isReadable(behind: good) {
                bad = good
                guard !overflows else {
                    isOver = true
                    return .gap(after: start, through: .max)
                }
            }
            stride = stride.multipliedReportingOverflow(by: 2).partialValue
        }
        while good - bad > 1 {
            let middle = bad + (good - bad) / 2
            if try isReadable(behind: middle) { good = middle } else { bad = middle }
        }
        isAhead = try isReadable(behind: good)
        return .gap(after: start, through: good)
    }

    private func isReadable(behind number: Int64) throws -> Bool {
        try bind(number)
        last = number
        isOver = false
        return try step()
    }

    /// False if the next row can't be read.
    private func step() throws -> Bool {
        let code = sqlite3_step(statement.sqliteStatement)
        switch code & 0xFF {
        case SQLITE_ROW:
            // Broken pages may lead back to earlier rows.
            return sqlite3_column_int64(statement.sqliteStatement, 0) > last
        case SQLITE_DONE:
            isOver = true
            return true
        case SQLITE_CORRUPT, SQLITE_IOERR: return false
        default:
            throw DatabaseError(code, of: database)
        }
    }

    private func bind(_ number: Int64) throws {
        // Its result repeats the error of the last step, which is known.
        sqlite3_reset(statement.sqliteStatement)
        let code = sqlite3_bind_int64(statement.sqliteStatement, 1, number)
        guard code == SQLITE_OK else { throw DatabaseError(resultCode: ResultCode(rawValue: code)) }
    }
}
