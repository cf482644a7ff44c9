import Foundation
import GRDB
import StorecastSync

/// One process's use of a file, from opening to closing.
enum StoreSession {
    /// Notes that the file is in use, durably; returns its history.
    ///
    /// If the system went down while the last user relied on it to keep what it wrote, the newest
    /// entries may be gone: every room gets another epoch.
    static func begin(
        _ durability: SQLiteDurability, boot: String, in database: Database
    ) throws -> StoreHistory {
        var history = StoreHistory(seed: .random(in: .min ... .max))
        try setDurability(.machine, of: database)
        try database.inTransaction(.immediate) {
            if let last = try Row.fetchOne(database, sql: "SELECT * FROM journal") {
                let mayLackEntries =
                    last["durability"] == SQLiteDurability.process.rawValue
                    && last["isClosed"] == 0 && last["boot"] != boot
                if !mayLackEntries {
                    history = StoreHistory(seed: UInt64(bitPattern: last["history"]))
                }
                if mayLackEntries { try renewEpochs(history, in: database) }
            }
            try database.execute(
                sql: "UPDATE journal SET history = ?, durability = ?, boot = ?, isClosed = 0",
                arguments: [Int64(bitPattern: history.seed), durability.rawValue, boot])
            return .commit
        }
        try setDurability(durability, of: database)
        return history
    }

    /// Notes how a file was used that another is made from, as that may say what it lacks.
    static func copy(from source: Database, to target: Database) throws {
        let last = try? Row.fetchOne(
            source, sql: "SELECT durability, boot, isClosed FROM journal")
        // As they are: a damaged file may hold anything there.
        guard let last, last.databaseValues.allSatisfy({ !$0.isNull }) else { return }
        try target.execute(
            sql: "UPDATE journal SET durability = ?, boot = ?, isClosed = ?",
            arguments: StatementArguments(last.databaseValues))
    }

    /// Notes that everything is on the disk.
    static func end(in database: Database) throws {
        try setDurability(.machine, of: database)
        try database.execute(sql: "UPDATE journal SET isClosed = 1")
    }

    /// Gives every room another epoch: clients ask for their state anew.
    static func renewEpochs(_ history: StoreHistory, in database: Database) throws {
        for name in try String.fetchAll(database, sql: "SELECT name FROM rooms") {
            try database.execute(
                sql: "UPDATE rooms SET epoch = ? WHERE name = ?",
                arguments: [history.epoch(of: name), name])
        }
        try database.execute(
            sql: "UPDATE journal SET history = ?", arguments: [Int64(bitPattern: history.seed)])
    }

    /// After opening, as GRDB's pool sets NORMAL by itself; and read back, as a wrong word is no
    /// error to SQLite.
    private static func setDurability(
        _ durability: SQLiteDurability, of database: Database
    ) throws {
        let (name, number) = durability.pragma
        try database.execute(sql: "PRAGMA synchronous = \(name)")
        guard try Int.fetchOne(database, sql: "PRAGMA synchronous") == number else {
            throw JournalError.unavailable("SQLite doesn't take 'synchronous = \(name)'.")
        }
    }

    /// Another one each time that the system starts; on systems that don't say, always another.
    static func bootID() -> String {
        (try? String(contentsOfFile: "/proc/sys/kernel/random/boot_id", encoding: .utf8))?
            .trimmingCharacters(in: .whitespacesAndNewlines) ?? UUID().uuidString
    }
}
