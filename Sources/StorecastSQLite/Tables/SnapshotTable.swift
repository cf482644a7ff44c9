import Foundation
import GRDB
import StorecastRoom

/// The tables of snapshots. Each is written in parts, and counts once it is whole.
enum SnapshotTable {
    /// The size of a part: 1 MiB.
    static let partBytes = 1 << 20

    /// Begins a snapshot, and removes an unfinished one of the room. Returns its id.
    static func begin(
        _ snapshot: JournalSnapshot, of room: Int64, in database: Database
    ) throws -> Int64 {
        try remove("room = \(room) AND NOT isWhole", in: database)
        try database.execute(
            sql: """
                INSERT INTO snapshots (room, offset, version, size, checksum, isWhole)
                VALUES (?, ?, ?, ?, ?, 0)
                """,
            arguments: [
                room, Int64(bitPattern: snapshot.offset), Int64(bitPattern: snapshot.version),
                snapshot.content.count, checksum(of: snapshot.content),
            ])
        return database.lastInsertedRowID
    }

    static func add(
        _ part: ArraySlice<UInt8>, _ number: Int, to id: Int64, in database: Database
    ) throws {
        try database.execute(
            sql: "INSERT INTO snapshotParts VALUES (?, ?, ?)",
            arguments: [id, number, Data(part)])
    }

    static func finish(_ id: Int64, in database: Database) throws {
        try database.execute(
            sql: "UPDATE snapshots SET isWhole = 1 WHERE id = ?", arguments: [id])
    }

    /// The complete snapshots of a room, the oldest first.
    static func all(
        of room: Int64, in database: Database
    ) throws -> [(offset: UInt64, version: UInt64, bytes: Int)] {
        try Row.fetchAll(
            database,
            sql: """
                SELECT offset, version, size FROM snapshots
                WHERE room = ? AND isWhole ORDER BY offset, id
                """, arguments: [room]
        ).map { row in
            (
                UInt64(bitPattern: row["offset"]), UInt64(bitPattern: row["version"]), row["size"]
            )
        }
    }

    /// The newest snapshot of a room up to `offset` whose content is what was written.
    static func newest(
        ofRoom room: String, through offset: UInt64, in database: Database
    ) throws -> JournalSnapshot? {
        try RoomRow(named: room, in: database).flatMap { row in
            try newest(of: row.id, through: offset, in: database)
        }
    }

    /// The same for the number of a room.
    static func newest(
        of room: Int64, through offset: UInt64, in database: Database
    ) throws -> JournalSnapshot? {
        let ids = try Int64.fetchCursor(
            database,
            sql: """
                SELECT id FROM snapshots
                WHERE room = ? AND isWhole AND offset <= ? ORDER BY offset DESC, id DESC
                """, arguments: [room, Int64(clamping: offset)])
        while let id = try ids.next() {
            if let snapshot = try intact(id, in: database) { return snapshot }
        }
        return nil
    }

    /// A snapshot; nil if its content isn't what was written.
    static func intact(_ id: Int64, in database: Database) throws -> JournalSnapshot? {
        do {
            let row = try Row.fetchOne(
                database,
                sql: "SELECT offset, version, size, checksum FROM snapshots WHERE id = ?",
                arguments: [id])
            // A damaged file may have anything in place of numbers.
            let numbers = row?.databaseValues.compactMap { Int64.fromDatabaseValue($0) } ?? []
            let content = try content(of: id, in: database)
            guard numbers.count == 4, numbers[2] == content.count,
                numbers[3] == checksum(of: content)
            else { return nil }
            return JournalSnapshot(
                offset: UInt64(bitPattern: numbers[0]), version: UInt64(bitPattern: numbers[1]),
                content: content)
        } catch let error as DatabaseError where error.resultCode == .SQLITE_CORRUPT {
            return nil
        } catch is RowDecodingError {
            return nil
        }
    }

    /// Writes a whole snapshot within a transaction.
    static func insert(
        _ snapshot: JournalSnapshot, of room: Int64, in database: Database
    ) throws {
        let id = try begin(snapshot, of: room, in: database)
        var rest = snapshot.content[...]
        for number in 0... {
            try add(rest.prefix(partBytes), number, to: id, in: database)
            rest = rest.dropFirst(partBytes)
            if rest.isEmpty { break }
        }
        try finish(id, in: database)
    }

    /// Removes those that are older than the newest one up to `offset`.
    static func removeBefore(
        _ offset: UInt64, of room: Int64, in database: Database
    ) throws {
        try remove(
            """
            room = \(room) AND offset < (
                SELECT max(offset) FROM snapshots
                WHERE room = \(room) AND isWhole AND offset <= \(Int64(clamping: offset)))
            """, in: database)
    }

    /// Removes what a crash, or a full disk, left unfinished.
    static func removeUnfinished(in database: Database) throws {
        try remove("NOT isWhole", in: database)
    }

    static func remove(_ condition: String, in database: Database) throws {
        let ids = try Int64.fetchAll(
            database, sql: "SELECT id FROM snapshots WHERE \(condition)")
        for id in ids {
            try database.execute(
                sql: "DELETE FROM snapshotParts WHERE snapshot = ?", arguments: [id])
            try database.execute(sql: "DELETE FROM snapshots WHERE id = ?", arguments: [id])
        }
    }

    private static func content(of id: Int64, in database: Database) throws -> [UInt8] {
        var content: [UInt8] = []
        let parts = try Data.fetchCursor(
            database, sql: "SELECT content FROM snapshotParts WHERE snapshot = ? ORDER BY part",
            arguments: [id])
        while let part = try parts.next() { content += part }
        return content
    }

    private static func checksum(of content: [UInt8]) -> Int64 {
        var checksum = ChainChecksum()
        checksum.add(content)
        return Int64(bitPattern: checksum.value)
    }
}
