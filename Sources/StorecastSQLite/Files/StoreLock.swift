import Foundation
import GRDB
import StorecastRoom

/// Keeps other processes from serving from the same file.
///
/// It is an `flock` on a separate file beside it, so that it ends with the process however that
/// ends. The file itself wouldn't do: closing any descriptor of it drops SQLite's own locks. Nor
/// would SQLite's exclusive mode, which keeps readers and backups out.
final class StoreLock: Sendable {
    private let path: String
    private let descriptor: Int32

    /// Throws ``JournalError/unavailable(_:)`` if another process, or this one, has it.
    ///
    /// - Parameter opened: called whenever the lock's file is open and not locked yet.
    init(_ file: String, opened: () -> Void = {}) throws(JournalError) {
        path = file + "-lock"
        descriptor = try Self.lock(path, for: file, opened)
        let id = Array("\(getpid())\n".utf8)
        ftruncate(descriptor, 0)
        _ = pwrite(descriptor, id, id.count, 0)
    }

    /// Releases it. The file is removed first, so that nobody locks one that is about to vanish.
    func release() {
        unlink(path)
        close(descriptor)
    }

    private static func lock(
        _ path: String, for file: String, _ opened: () -> Void
    ) throws(JournalError) -> Int32 {
        while true {
            let descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
            guard descriptor >= 0 else {
                throw .unavailable("'\(path)' can't be made: \(String(cString: strerror(errno))).")
            }
            opened()
            guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
                defer { close(descriptor) }
                throw .unavailable(
                    "'\(file)' is in use by \(owner(descriptor)). Stop that, or choose another file."
                )
            }
            if isStill(descriptor, at: path) { return descriptor }
            // Its last owner removed it in the meantime: others would lock a new one.
            close(descriptor)
        }
    }

    private static func isStill(_ descriptor: Int32, at path: String) -> Bool {
        var (mine, current) = (stat(), stat())
        return fstat(descriptor, &mine) == 0 && stat(path, &current) == 0
            && mine.st_ino == current.st_ino && mine.st_dev == current.st_dev
    }

    private static func owner(_ descriptor: Int32) -> String {
        var text = [UInt8](repeating: 0, count: 20)
        let count = pread(descriptor, &text, text.count, 0)
        let id = String(decoding: text.prefix(max(0, count)), as: UTF8.self)
            .prefix { $0.isASCII && $0.isNumber }
        return id.isEmpty ? "another process" : "the process \(id)"
    }
}

/// How programs other than a server change a journal's file: while they hold its lock.
enum StoreEditing {
    /// Runs `body` while no server can use the file at `path`, which may not exist. Errors of
    /// SQLite become a ``JournalError`` that names the file.
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

    /// Runs `body` in one transaction on the file. Makes the file if there is none, and removes it
    /// again if `body` throws.
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
            // Before anything is written: it may be another program's file.
            try StoreSchema.prepare(database, path)
            try database.execute(sql: "PRAGMA fullfsync = 1; PRAGMA checkpoint_fullfsync = 1")
        }
        return configuration
    }
}
