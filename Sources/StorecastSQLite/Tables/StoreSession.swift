import Foundation
import GRDB
import StorecastRoom

/// The table `journal`: how the file is used by one process, from opening to closing it.
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
            if try mayLackEntries(boot: boot, in: database) {
                try renewEpochs(history, in: database)
            } else if let last = try Row.fetchOne(database, sql: "SELECT history FROM journal") {
                history = StoreHistory(seed: UInt64(bitPattern: last["history"]))
            }
            try database.execute(
                sql: "UPDATE journal SET history = ?, durability = ?, boot = ?, isClosed = 0",
                arguments: [Int64(bitPattern: history.seed), durability.rawValue, boot])
            return .commit
        }
        try setDurability(durability, of: database)
        return history
    }

    /// Whether the newest entries may be gone, as the system went down while the last user relied
    /// on it to keep what it wrote.
    static func mayLackEntries(boot: String, in database: Database) throws -> Bool {
        guard let last = try Row.fetchOne(database, sql: "SELECT * FROM journal") else {
            return false
        }
        return last["durability"] == SQLiteDurability.process.rawValue
            && last["isClosed"] == 0 && last["boot"] != boot
    }

    /// Copies this to a repaired file: the next start decides by it whether entries may be missing.
    static func copy(from source: Database, to target: Database) throws {
        let last = try? Row.fetchOne(
            source, sql: "SELECT durability, boot, isClosed FROM journal")
        // Unchecked: a damaged file may hold anything there.
        guard let last, last.databaseValues.allSatisfy({ !$0.isNull }) else { return }
        try target.execute(
            sql: "UPDATE journal SET durability = ?, boot = ?, isClosed = ?",
            arguments: StatementArguments(last.databaseValues))
    }

    /// Notes that everything is on the disk and the file is closed.
    static func end(in database: Database) throws {
        try setDurability(.machine, of: database)
        try database.execute(sql: "UPDATE journal SET isClosed = 1")
    }

    /// Gives every room a new epoch, so that clients ask for the whole state.
    static func renewEpochs(_ history: StoreHistory, in database: Database) throws {
        for name in try String.fetchAll(database, sql: "SELECT name FROM rooms") {
            try database.execute(
                sql: "UPDATE rooms SET epoch = ? WHERE name = ?",
                arguments: [history.epoch(of: name), name])
        }
        try database.execute(
            sql: "UPDATE journal SET history = ?", arguments: [Int64(bitPattern: history.seed)])
    }

    /// To be called after opening, when GRDB's pool has set NORMAL by itself. Reads the value back,
    /// as SQLite ignores words that it doesn't know.
    private static func setDurability(
        _ durability: SQLiteDurability, of database: Database
    ) throws {
        let (name, number) = durability.pragma
        try database.execute(sql: "PRAGMA synchronous = \(name)")
        guard try Int.fetchOne(database, sql: "PRAGMA synchronous") == number else {
            throw JournalError.unavailable("SQLite doesn't take 'synchronous = \(name)'.")
        }
    }

    /// Differs each time that the machine starts; where the system has no such number, at each
    /// call.
    static func bootID() -> String {
        (try? String(contentsOfFile: "/proc/sys/kernel/random/boot_id", encoding: .utf8))?
            .trimmingCharacters(in: .whitespacesAndNewlines) ?? UUID().uuidString
    }
}

/// Identifies the history of a file since it was made or restored.
struct StoreHistory: Equatable, Sendable {
    /// Random.
    let seed: UInt64

    /// The epoch of a room that has no entries yet. Computed, so that such a room needs no row.
    func epoch(of room: String) -> String {
        String(SHA256.hexadecimalDigest(of: "\(seed)/\(room)".utf8).prefix(32))
    }
}

/// What an acknowledged action survives.
public enum SQLiteDurability: String, Sendable, CaseIterable {
    /// The end of the process, and a crash of the machine or a power cut, as far as the disk keeps
    /// what it says it has kept.
    ///
    /// SQLite's `synchronous=FULL`: an `fsync` for every group of batches.
    case machine
    /// The end of the process at any moment. A crash of the machine may take the newest actions,
    /// although they were acknowledged.
    ///
    /// SQLite's `synchronous=NORMAL`: an `fsync` every 4 MiB or so. After a crash of the machine
    /// every room begins a new epoch, so that clients don't trust positions that may be gone.
    case process

    /// SQLite's name of it, and the number that it gives when asked.
    var pragma: (name: String, number: Int) {
        switch self {
        case .machine: ("FULL", 2)
        case .process: ("NORMAL", 1)
        }
    }
}
