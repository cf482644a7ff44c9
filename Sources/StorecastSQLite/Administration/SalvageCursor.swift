import GRDB
import GRDBSQLite

/// Reads a table's rows in the order of their number as far as SQLite can: what lies on pages that
/// are broken is passed over, and said.
///
/// Rows that can be read may hold anything; the cursor promises only that their numbers rise.
final class SalvageCursor {
    enum Step {
        /// A row; its number is column 0.
        case row(StatementColumns)
        /// Nothing can be read behind `after` and up to `through`.
        case gap(after: Int64, through: Int64)
    }

    private let database: Database
    private let statement: Statement
    private var last: Int64 = 0
    /// The row at which the statement stands is still to be handed out.
    private var isAhead = false
    private var isOver = false

    /// - Parameter columns: the first is the table's row id.
    init(_ columns: [String], of table: String, in database: Database) throws {
        self.database = database
        // By the table itself, as an index may be broken on its own.
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

    /// Looks for the next row that can be read, in ever larger steps and then back.
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

    /// False if what comes next can't be read.
    private func step() throws -> Bool {
        let code = sqlite3_step(statement.sqliteStatement)
        switch code & 0xFF {
        case SQLITE_ROW:
            // Broken pages may lead back to where the cursor was.
            return sqlite3_column_int64(statement.sqliteStatement, 0) > last
        case SQLITE_DONE:
            isOver = true
            return true
        case SQLITE_CORRUPT, SQLITE_IOERR: return false
        default:
            throw DatabaseError(
                resultCode: ResultCode(rawValue: code),
                message: database.sqliteConnection.map { String(cString: sqlite3_errmsg($0)) })
        }
    }

    private func bind(_ number: Int64) throws {
        // Says once more what the last step failed with.
        sqlite3_reset(statement.sqliteStatement)
        let code = sqlite3_bind_int64(statement.sqliteStatement, 1, number)
        guard code == SQLITE_OK else { throw DatabaseError(resultCode: ResultCode(rawValue: code)) }
    }
}
