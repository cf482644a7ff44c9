import GRDB
import StorecastRoom

/// The tables of a journal's file, and how such a file is recognized.
enum StoreSchema {
    /// "Scjl", for `file` and the like.
    private static let applicationID: Int32 = 0x5363_6A6C
    /// The newest version that is read. New files have version 1, and those with the table of
    /// ``Tombstones`` version 2.
    private static let version: Int32 = 2

    private static let tables = """
        CREATE TABLE journal (
            history INTEGER NOT NULL,
            durability TEXT NOT NULL,
            boot TEXT NOT NULL,
            isClosed INTEGER NOT NULL
        ) STRICT;
        CREATE TABLE rooms (
            id INTEGER PRIMARY KEY,
            name TEXT NOT NULL UNIQUE,
            epoch TEXT NOT NULL,
            floor INTEGER NOT NULL,
            seal INTEGER NOT NULL
        ) STRICT;
        CREATE TABLE entries (
            offset INTEGER PRIMARY KEY,
            room INTEGER NOT NULL REFERENCES rooms,
            checksum INTEGER NOT NULL,
            client TEXT NOT NULL,
            seq INTEGER NOT NULL,
            base INTEGER NOT NULL,
            settled INTEGER NOT NULL,
            sender TEXT NOT NULL,
            roles TEXT,
            time REAL NOT NULL,
            seed INTEGER NOT NULL,
            schema INTEGER NOT NULL,
            type TEXT,
            payload TEXT,
            more TEXT,
            rejection TEXT
        ) STRICT;
        CREATE INDEX entriesOfRoom ON entries (room);
        CREATE TABLE snapshots (
            id INTEGER PRIMARY KEY,
            room INTEGER NOT NULL REFERENCES rooms,
            offset INTEGER NOT NULL,
            version INTEGER NOT NULL,
            size INTEGER NOT NULL,
            checksum INTEGER NOT NULL,
            isWhole INTEGER NOT NULL
        ) STRICT;
        CREATE INDEX snapshotsOfRoom ON snapshots (room, offset);
        CREATE TABLE snapshotParts (
            snapshot INTEGER NOT NULL REFERENCES snapshots,
            part INTEGER NOT NULL,
            content BLOB NOT NULL,
            PRIMARY KEY (snapshot, part)
        ) STRICT;
        """

    /// Whether the file has no content yet. Writes nothing.
    ///
    /// Throws ``JournalError/damaged(_:)`` if it is another program's, or of a later version.
    static func isNew(_ database: Database, _ path: String) throws -> Bool {
        let id = try Int32.fetchOne(database, sql: "PRAGMA application_id") ?? 0
        let found = try Int32.fetchOne(database, sql: "PRAGMA user_version") ?? 0
        if id == 0, found == 0,
            try Int.fetchOne(database, sql: "SELECT count(*) FROM sqlite_schema") == 0
        {
            return true
        }
        guard id == applicationID else {
            throw JournalError.damaged(
                "'\(path)' is an SQLite database, but not a journal of Storecast's; "
                    + "choose another file.")
        }
        guard found <= version else {
            throw JournalError.damaged(
                "'\(path)' was written by a later version of Storecast (schema \(found); this one "
                    + "reads up to \(version)). Use that version.")
        }
        return false
    }

    /// Throws ``JournalError/damaged(_:)`` if the file isn't a journal that this version reads.
    static func check(_ database: Database, _ path: String) throws {
        if try isNew(database, path) {
            throw JournalError.damaged("'\(path)' is an empty file, not a journal.")
        }
    }

    /// Prepares a connection to a file that may be new. To be called before anything else; throws
    /// as ``isNew(_:_:)`` does.
    ///
    /// A new file can shrink again: SQLite wants to know that before the first table is made.
    static func prepare(_ database: Database, _ path: String) throws {
        if try isNew(database, path), !database.configuration.readonly {
            try database.execute(sql: "PRAGMA auto_vacuum = INCREMENTAL")
        }
    }

    /// Makes the tables.
    static func make(in database: Database, _ history: StoreHistory) throws {
        try database.inTransaction(.immediate) {
            try database.execute(sql: tables)
            try database.execute(
                sql: "INSERT INTO journal VALUES (?, 'machine', '', 1)",
                arguments: [Int64(bitPattern: history.seed)])
            try database.execute(sql: "PRAGMA application_id = \(applicationID)")
            try database.execute(sql: "PRAGMA user_version = 1")
            return .commit
        }
    }

    /// Makes the table of ``Tombstones`` if there is none. Within a transaction.
    static func makeTombstones(in database: Database) throws {
        try database.execute(
            sql: """
                CREATE TABLE IF NOT EXISTS tombstones (
                    offset INTEGER PRIMARY KEY,
                    room INTEGER NOT NULL REFERENCES rooms,
                    rejection TEXT NOT NULL
                ) STRICT;
                PRAGMA user_version = 2;
                """)
    }

    /// The newest offset of all rooms, kept or not.
    static func newestOffset(in database: Database) throws -> UInt64 {
        let newest = try Int64.fetchOne(
            database,
            sql: """
                SELECT max((SELECT coalesce(max(offset), 0) FROM entries),
                           (SELECT coalesce(max(floor), 0) FROM rooms))
                """)
        return UInt64(bitPattern: newest ?? 0)
    }
}

extension Database {
    /// A transaction that returns something; rolled back if `body` throws.
    func inTransactionReturning<Value>(_ body: () throws -> Value) throws -> Value {
        var value: Value?
        try inTransaction(.immediate) {
            value = try body()
            return .commit
        }
        guard let value else { preconditionFailure("A transaction that ended ran its body.") }
        return value
    }
}
