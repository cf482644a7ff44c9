import GRDB
import StorecastServer

/// What keeping costs without a server: the rows of a journal, inserted with GRDB as its guide has
/// it, by one thread that does nothing else.
final class PlainInserts {
    private let pool: DatabasePool
    private let type: String
    private let payload: String
    private var random = SystemRandomNumberGenerator()
    private var count: Int64 = 0

    init(_ file: String, type: String, payload: [UInt8]) throws {
        self.type = type
        self.payload = String(decoding: payload, as: UTF8.self)
        pool = try DatabasePool(path: file)
        try pool.writeWithoutTransaction { database in
            // As the journal has it; the pool alone takes NORMAL.
            try database.execute(sql: "PRAGMA synchronous = FULL")
            try database.execute(sql: Self.table)
        }
    }

    /// Inserts `rows` rows, `batch` in each transaction.
    func insert(_ rows: Int, batch: Int) throws {
        for _ in 0..<(rows / batch) {
            try pool.write { database in
                let statement = try database.cachedStatement(sql: Self.insertion)
                for _ in 0..<batch { try insert(statement) }
            }
        }
    }

    private func insert(_ statement: Statement) throws {
        count += 1
        try statement.execute(arguments: [
            count, 1, Int64.random(in: .min ... .max, using: &random),
            "0000000000000000000000000000000a", count, count, count, Identity.anonymous.id, nil,
            Timestamp.now().secondsSince1970, Int64.random(in: .min ... .max, using: &random), 1,
            type, payload, nil, nil,
        ])
    }

    private static let insertion = """
        INSERT INTO entries VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
        """

    /// The journal's own table.
    private static let table = """
        CREATE TABLE entries (
            offset INTEGER PRIMARY KEY,
            room INTEGER NOT NULL,
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
        """
}
