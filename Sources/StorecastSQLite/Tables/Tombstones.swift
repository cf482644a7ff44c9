import GRDB
import StorecastSync

/// The table of entries that are kept but never reduced: a reducer couldn't, and the process ended.
///
/// The entry itself stays as it was written, and so its checksum; whoever reads it finds a final
/// rejection with it. The table is made with the first of them, and the file is of schema 2 then: a
/// version that knows nothing of it would reduce them.
enum Tombstones {
    /// What everyone is told of such an entry.
    static func rejection(crashes: Int?) -> Rejection {
        Rejection(
            .internal, "The server failed to reduce the action.",
            detail: crashes.map { "It ended \($0) times in a row while it tried." })
    }

    /// The texts of the rejections, by offset: of one room, or of all.
    static func texts(
        of room: Int64? = nil, in database: Database
    ) throws -> [UInt64: [UInt8]] {
        guard try isThere(in: database) else { return [:] }
        let condition = room.map { "WHERE room = \($0)" } ?? ""
        let rows = try Row.fetchAll(
            database, sql: "SELECT offset, rejection FROM tombstones \(condition)")
        var texts: [UInt64: [UInt8]] = [:]
        for row in rows {
            let (offset, text): (Int64, String) = (row[0], row[1])
            texts[UInt64(bitPattern: offset)] = Array(text.utf8)
        }
        return texts
    }

    /// Puts one over an entry, within a transaction.
    static func add(
        _ rejection: [UInt8], over offset: UInt64, of room: Int64, in database: Database
    ) throws {
        try StoreSchema.makeTombstones(in: database)
        try database.execute(
            sql: "INSERT OR REPLACE INTO tombstones VALUES (?, ?, ?)",
            arguments: [
                Int64(bitPattern: offset), room, String(decoding: rejection, as: UTF8.self),
            ])
    }

    /// Removes those over entries that are no longer kept.
    static func remove(of room: Int64, through offset: Int64, in database: Database) throws {
        guard try isThere(in: database) else { return }
        try database.execute(
            sql: "DELETE FROM tombstones WHERE room = ? AND offset <= ?", arguments: [room, offset])
    }

    private static func isThere(in database: Database) throws -> Bool {
        let statement = try database.cachedStatement(
            sql: "SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = 'tombstones'")
        return try Int.fetchOne(statement) != nil
    }
}
