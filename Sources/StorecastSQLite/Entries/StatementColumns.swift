import GRDB
import GRDBSQLite

/// The values in the row at which a statement stands; columns count from 0.
struct StatementColumns {
    let statement: SQLiteStatement

    func number(_ column: Int32) -> UInt64 {
        UInt64(bitPattern: sqlite3_column_int64(statement, column))
    }

    func double(_ column: Int32) -> Double { sqlite3_column_double(statement, column) }

    func isNull(_ column: Int32) -> Bool {
        sqlite3_column_type(statement, column) == SQLITE_NULL
    }

    /// A text, whatever characters it has.
    func text(_ column: Int32) -> String {
        String(decoding: buffer(column), as: UTF8.self)
    }

    /// A text's UTF-8; nil for NULL.
    func bytes(_ column: Int32) -> [UInt8]? {
        isNull(column) ? nil : Array(buffer(column))
    }

    private func buffer(_ column: Int32) -> UnsafeBufferPointer<UInt8> {
        // The text first: asking for it may change how many bytes there are.
        let start = sqlite3_column_text(statement, column)
        return UnsafeBufferPointer(
            start: start, count: Int(sqlite3_column_bytes(statement, column)))
    }
}
