import Dispatch
import GRDB
import GRDBSQLite
package import StorecastRoom

/// The journals of all rooms of a server in one SQLite file.
///
/// One connection writes, on a thread of its own, for all loops; others read, a page at a time. May
/// be used from any thread.
package final class SQLiteStore: JournalStore {
    /// The version of SQLite that the process runs with.
    package static var libraryVersion: String { String(cString: sqlite3_libversion()) }

    let history: StoreHistory
    let writer: GroupCommit
    private let path: String
    private let pool: DatabasePool
    private let lock: StoreLock
    let reducing: ReducingFile
    let review: CrashReview
    private let space: DiskSpace

    private init(
        _ path: String, _ pool: DatabasePool, _ lock: StoreLock, _ start: Start,
        _ reducing: ReducingFile,
        _ review: CrashReview
    ) {
        history = start.history
        self.path = path
        self.pool = pool
        self.lock = lock
        self.reducing = reducing
        self.review = review
        space = DiskSpace(of: path)
        writer = GroupCommit(pool, LogWriter(history, newest: start.newest))
    }

    /// Opens a file to serve from, or makes one. Reads nothing of the rooms; after a crash SQLite
    /// recovers the write-ahead log first, which seldom has more than 4 MiB.
    ///
    /// - Throws: `unavailable` if it is in use or can't be opened or written, `damaged` if it isn't
    ///   a journal that this version reads.
    /// - Parameters:
    ///   - busyTimeout: how long the writer waits when another program has the file locked.
    ///   - boot: differs each time that the machine starts.
    ///   - crashes: what becomes of actions that end the process when they are reduced.
    @concurrent package static func open(
        _ file: String, durability: SQLiteDurability = .machine,
        busyTimeout: Duration = .seconds(1), boot: String = StoreSession.bootID(),
        crashes: CrashPolicy = .skip()
    ) async throws(JournalError) -> SQLiteStore {
        try openHere(
            file, durability: durability, busyTimeout: busyTimeout, boot: boot, crashes: crashes)
    }

    /// The same on the caller's thread, which waits for the disk.
    ///
    /// - Parameter history: seeds the epochs of a new file's rooms.
    package static func openHere(
        _ file: String, durability: SQLiteDurability = .machine,
        busyTimeout: Duration = .seconds(1), boot: String = StoreSession.bootID(),
        history: UInt64 = .random(in: .min ... .max), crashes: CrashPolicy = .skip()
    ) throws(JournalError) -> SQLiteStore {
        let path = StoreFile.canonicalPath(file)
        try StoreFile.checkPlace(of: path)
        let lock = try StoreLock(path)
        do {
            let pool = try pool(path, busyTimeout)
            let start = try begin(pool, path, durability, boot, StoreHistory(seed: history))
            let reducing = try ReducingFile(beside: path, of: start.history)
            let review = try pool.writeWithoutTransaction { database in
                try CrashReview(of: reducing, by: crashes, in: database, path)
            }
            return SQLiteStore(path, pool, lock, start, reducing, review)
        } catch {
            lock.release()
            throw JournalError(error).naming(path)
        }
    }

    private static func pool(_ path: String, _ busyTimeout: Duration) throws -> DatabasePool {
        try StoreFile.make(path)
        return try DatabasePool(path: path, configuration: configuration(path, busyTimeout))
    }

    private typealias Start = (history: StoreHistory, newest: UInt64)

    private static func begin(
        _ pool: DatabasePool, _ path: String, _ durability: SQLiteDurability, _ boot: String,
        _ first: StoreHistory
    ) throws -> Start {
        try pool.writeWithoutTransaction { database in
            if try StoreSchema.isNew(database, path) { try StoreSchema.make(in: database, first) }
            let history = try StoreSession.begin(durability, boot: boot, in: database)
            try SnapshotTable.removeUnfinished(in: database)
            return (history, try StoreSchema.newestOffset(in: database))
        }
    }

    package func journal(on loop: @escaping JournalLoop) -> any Journal {
        SQLiteJournal(self, on: loop)
    }

    /// How many bytes the file's disk has left; nil if the system doesn't tell. Looks once a second.
    var freeBytes: Int? { space.free }

    package var reports: [String] { review.reports }

    package func close() async {
        await withCheckedContinuation { continuation in close { continuation.resume() } }
    }

    /// The same; `completion` is called on a thread of its own, or at once if it was closed before.
    package func close(_ completion: @escaping @Sendable () -> Void) {
        let isFirst = writer.close { [pool, path, lock, reducing] database in
            // If this fails, the next start takes it for a crash, which does no harm.
            try? StoreSession.end(in: database)
            // On another thread, as closing waits for the writer.
            DispatchQueue.global().async {
                // If one of these fails, the next start finds in SQLite's log what isn't merged.
                try? pool.close()
                // The readers were closed last, and may not write: the last connection merges the
                // log and removes SQLite's other files.
                try? JournalFile(path).close()
                reducing.remove()
                lock.release()
                completion()
            }
        }
        if !isFirst { completion() }
    }

    /// Reads on a connection of its own; `completion` is called on a thread of its own.
    func read<Value: Sendable>(
        _ body: @escaping @Sendable (Database) throws -> Value,
        completion: @escaping @Sendable (Result<Value, JournalError>) -> Void
    ) {
        pool.asyncRead { result in
            completion(Result { try body(result.get()) }.mapError { JournalError($0) })
        }
    }

    private static func configuration(_ path: String, _ busyTimeout: Duration) -> Configuration {
        var configuration = Configuration()
        configuration.label = "storecast-journal"
        // The journal itself makes the room of an entry first.
        configuration.foreignKeysEnabled = false
        configuration.busyMode = .timeout(busyTimeout / .seconds(1))
        configuration.prepareDatabase { database in
            // Before anything else, as the pool would give another program's file a write-ahead
            // log.
            try StoreSchema.prepare(database, path)
            guard database.configuration.readonly || !isReadOnly(database) else {
                throw JournalError.unavailable("'\(path)' can't be written: see its permissions.")
            }
            // Where an fsync alone doesn't reach the disk (macOS).
            try database.execute(sql: "PRAGMA fullfsync = 1; PRAGMA checkpoint_fullfsync = 1")
        }
        return configuration
    }

    /// SQLite opens a file without write permission for reading, and reports no error.
    private static func isReadOnly(_ database: Database) -> Bool {
        sqlite3_db_readonly(database.sqliteConnection, "main") == 1
    }
}
