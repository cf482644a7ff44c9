import GRDB

/// Forgets the oldest entries of a room, and remembers where the chain of the others begins.
enum LogTruncation {
    /// How many entries go in one transaction.
    private static let portion = 2_000

    /// How many pages are given back in one transaction: 1 MiB, which takes some 10 ms.
    private static let pages = 256

    /// Gives unused pages back to the file system, a portion of them; whether that was all.
    ///
    /// A quarter of the file may be unused: what comes next takes that, and the file needn't grow
    /// again. A file that wasn't made for this stays as large as it is.
    static func shrink(_ database: Database) throws -> Bool {
        let unused = try unusedPages(database)
        let all = try Int.fetchOne(database, sql: "PRAGMA page_count") ?? 0
        guard unused > all / 4 else { return true }
        try database.execute(sql: "PRAGMA incremental_vacuum(\(min(pages, unused - all / 4)))")
        return try unusedPages(database) == unused
    }

    private static func unusedPages(_ database: Database) throws -> Int {
        try Int.fetchOne(database, sql: "PRAGMA freelist_count") ?? 0
    }

    /// Removes up to a portion of what is there up to `offset`; whether that was all.
    static func removePortion(
        of room: Int64, through offset: UInt64, in database: Database
    ) throws -> Bool {
        let limit = Int64(clamping: offset)
        let rows = try Row.fetchAll(
            database,
            sql: """
                SELECT offset, checksum FROM entries WHERE room = ? AND offset <= ?
                ORDER BY offset LIMIT ?
                """, arguments: [room, limit, portion])
        guard let last = rows.last else { return true }
        let (floor, seal): (Int64, Int64) = (last[0], last[1])
        try database.execute(
            sql: "UPDATE rooms SET floor = ?, seal = ? WHERE id = ?",
            arguments: [floor, seal, room])
        try Tombstones.remove(of: room, through: floor, in: database)
        try database.execute(
            sql: "DELETE FROM entries WHERE room = ? AND offset <= ?", arguments: [room, floor])
        return rows.count < portion
    }
}
