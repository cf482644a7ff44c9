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

    private func error(_ code: Int32) -> DatabaseError { DatabaseError(code, of: database) }

    /// SQLite makes a copy of what is bound before the call returns.
    private static var copied: sqlite3_destructor_type {
        unsafeBitCast(OpaquePointer(bitPattern: -1), to: sqlite3_destructor_type.self)
    }

    private static var emptyText: UnsafePointer<CChar> {
        UnsafeRawPointer(("" as StaticString).utf8Start).assumingMemoryBound(to: CChar.self)
    }
}

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

    /// The UTF-8 of a text; nil for NULL.
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

extension DatabaseError {
    /// What a call of SQLite's C interface on this database just failed with.
    init(_ code: Int32, of database: Database) {
        self.init(
            resultCode: ResultCode(rawValue: code),
            message: database.sqliteConnection.map { String(cString: sqlite3_errmsg($0)) })
    }
}
