import GRDB
import StorecastSync

/// The table of entries that are kept but no longer reduced, because reducing them ended the
/// process.
///
/// The entry itself stays as it was written, with its checksum; readers get it with a final
/// rejection. The table is made together with its first row. The file has schema 2 from then on, as
/// a version of the code that doesn't know the table would reduce such entries.
enum Tombstones {
    /// The rejection that such an entry gets.
    static func rejection(crashes: Int?) -> Rejection {
        Rejection(
            .internal, "The server failed to reduce the action.",
            detail: crashes.map { "It ended \($0) times in a row while it tried." })
    }

    /// The rejections as JSON text, by offset; of one room, or of all.
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

    /// Adds one for an entry. Within a transaction.
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

    /// Removes those of entries that are no longer kept.
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
