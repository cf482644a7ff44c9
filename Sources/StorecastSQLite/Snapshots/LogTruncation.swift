import GRDB

/// Forgets the oldest entries of a room, and remembers where the chain of the others begins.
enum LogTruncation {
    /// How many entries go in one transaction.
    private static let portion = 2_000

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
        try database.execute(
            sql: "DELETE FROM entries WHERE room = ? AND offset <= ?", arguments: [room, floor])
        return rows.count < portion
    }
}
