import GRDB
import StorecastRoom

/// How programs other than a server change a journal's file: with its lock.
enum StoreEditing {
    /// Runs `body` while no server can use the file at `path`, there or not. Errors of SQLite's
    /// come out as a ``JournalError`` that names the file.
    static func locked<Value>(_ path: String, _ body: () throws -> Value) throws -> Value {
        let lock = try StoreLock(path)
        defer { lock.release() }
        do {
            return try body()
        } catch let error as DatabaseError {
            throw JournalError(error).naming(path)
        } catch let error as JournalError {
            throw error.naming(path)
        }
    }

    /// Runs `body` in one transaction on the file, which is made if there is none, and gone again
    /// if `body` throws then.
    static func write<Value>(
        to path: String, _ body: (Database) throws -> Value
    ) throws -> Value {
        let isNew = !StoreFile.exists(path)
        try StoreFile.make(path)
        do {
            let queue = try DatabaseQueue(path: path, configuration: configuration(path))
            defer { try? queue.close() }
            return try queue.writeWithoutTransaction { database in
                if try StoreSchema.isNew(database, path) {
                    let seed = UInt64.random(in: .min ... .max)
                    try StoreSchema.make(in: database, StoreHistory(seed: seed))
                }
                return try database.inTransactionReturning { try body(database) }
            }
        } catch {
            if isNew { StoreFile.remove(path) }
            throw error
        }
    }

    private static func configuration(_ path: String) -> Configuration {
        var configuration = Configuration()
        configuration.label = "storecast-journal-editing"
        configuration.foreignKeysEnabled = false
        configuration.busyMode = .timeout(5)
        configuration.prepareDatabase { database in
            // Another program's file isn't touched.
            try StoreSchema.prepare(database, path)
            try database.execute(sql: "PRAGMA fullfsync = 1; PRAGMA checkpoint_fullfsync = 1")
        }
        return configuration
    }
}
