import GRDB
import GRDBSQLite

/// Fills in the parameters of a statement and runs it.
///
/// Straight through SQLite's C interface, because GRDB ends a text at its first NUL character,
/// which what an application calls its users may well contain.
struct StatementBinding {
    private let database: Database
    private let statement: SQLiteStatement
    private var index: Int32 = 0

    /// - Parameter statement: one of `database` that nobody else is using.
    init(_ statement: Statement, of database: Database) {
        self.database = database
        self.statement = statement.sqliteStatement
    }

    mutating func bind(_ number: Int64) throws {
        index += 1
        try check(sqlite3_bind_int64(statement, index, number))
    }

    /// All 64 bits, as the signed number that has them.
    mutating func bind(_ number: UInt64) throws {
        try bind(Int64(bitPattern: number))
    }

    mutating func bind(_ number: Double) throws {
        index += 1
        try check(sqlite3_bind_double(statement, index, number))
    }

    mutating func bind(_ text: String) throws {
        var text = text
        try text.withUTF8 { try bind(text: UnsafeRawBufferPointer($0)) }
    }

    mutating func bind(_ text: [UInt8]?) throws {
        if let text {
            try text.withUnsafeBytes { try bind(text: $0) }
        } else {
            try bindNull()
        }
    }

    mutating func bind(_ text: String?) throws {
        if let text { try bind(text) } else { try bindNull() }
    }

    /// Runs a statement without rows, and makes it ready for the next time.
    mutating func run() throws {
        let code = sqlite3_step(statement)
        let error = code == SQLITE_DONE ? nil : error(code)
        sqlite3_reset(statement)
        index = 0
        if let error { throw error }
    }

    private mutating func bindNull() throws {
        index += 1
        try check(sqlite3_bind_null(statement, index))
    }

    private mutating func bind(text: UnsafeRawBufferPointer) throws {
        index += 1
        // A text of no bytes needs an address all the same, or it would be NULL.
        let start = text.isEmpty ? nil : text.baseAddress?.assumingMemoryBound(to: CChar.self)
        try check(
            sqlite3_bind_text(
                statement, index, start ?? Self.emptyText, Int32(text.count), Self.copied))
    }

    private func check(_ code: Int32) throws {
        if code != SQLITE_OK { throw error(code) }
    }

    private func error(_ code: Int32) -> DatabaseError {
        DatabaseError(
            resultCode: ResultCode(rawValue: code),
            message: database.sqliteConnection.map { String(cString: sqlite3_errmsg($0)) })
    }

    /// SQLite makes a copy of what is bound before the call returns.
    private static var copied: sqlite3_destructor_type {
        unsafeBitCast(OpaquePointer(bitPattern: -1), to: sqlite3_destructor_type.self)
    }

    private static var emptyText: UnsafePointer<CChar> {
        UnsafeRawPointer(("" as StaticString).utf8Start).assumingMemoryBound(to: CChar.self)
    }
}
