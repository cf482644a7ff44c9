import Dispatch
import GRDB
import StorecastRoom

extension SQLiteStore {
    /// Makes the content on a thread of its own, and writes it part by part between the batches.
    func saveSnapshot(
        of room: String, offset: UInt64, version: UInt64,
        content: @escaping @Sendable () throws -> [UInt8],
        completion: @escaping @Sendable (Result<Void, JournalError>) -> Void
    ) {
        DispatchQueue.global(qos: .utility).async { [self] in
            do {
                let snapshot = JournalSnapshot(
                    offset: offset, version: version, content: try content())
                writePart(0, of: snapshot, as: nil, room, completion)
            } catch {
                completion(.failure(.unfit(place: 0, "\(error)")))
            }
        }
    }

    private func writePart(
        _ number: Int, of snapshot: JournalSnapshot, as id: Int64?, _ room: String,
        _ completion: @escaping @Sendable (Result<Void, JournalError>) -> Void
    ) {
        let start = number * SnapshotTable.partBytes
        let rest = snapshot.content[start...]
        let isLast = rest.count <= SnapshotTable.partBytes
        writer.write { [history] database in
            try database.inTransactionReturning {
                let id =
                    try id
                    ?? SnapshotTable.begin(
                        snapshot, of: RoomRow.find(room, orBeginIn: history, database).id,
                        in: database)
                try SnapshotTable.add(
                    rest.prefix(SnapshotTable.partBytes), number, to: id, in: database)
                if isLast { try SnapshotTable.finish(id, in: database) }
                return id
            }
        } completion: { [self] result in
            switch result {
            case .success where isLast: completion(.success(()))
            case .success(let id):
                writePart(number + 1, of: snapshot, as: id, room, completion)
            case .failure(let error): completion(.failure(error))
            }
        }
    }

    /// Forgets entries a portion at a time, between the batches.
    func truncate(
        _ room: String, through offset: UInt64,
        completion: @escaping @Sendable (Result<Void, JournalError>) -> Void
    ) {
        read { database in
            guard let log = try RoomRow(named: room, in: database),
                let newest = try SnapshotTable.newest(of: log.id, through: .max, in: database),
                newest.offset >= offset
            else { throw JournalError.unavailable("No snapshot holds the entries.") }
            return log.id
        } completion: { [self] result in
            switch result {
            case .success(let id): removePortion(of: id, through: offset, completion)
            case .failure(let error): completion(.failure(error))
            }
        }
    }

    private func removePortion(
        of room: Int64, through offset: UInt64,
        _ completion: @escaping @Sendable (Result<Void, JournalError>) -> Void
    ) {
        writer.write { database in
            try database.inTransactionReturning {
                let isLast = try LogTruncation.removePortion(
                    of: room, through: offset, in: database)
                if isLast {
                    try SnapshotTable.removeBefore(offset, of: room, in: database)
                }
                return isLast
            }
        } completion: { [self] result in
            switch result {
            case .success(true): shrink(completion)
            case .success(false): removePortion(of: room, through: offset, completion)
            case .failure(let error): completion(.failure(error))
            }
        }
    }

    private func shrink(_ completion: @escaping @Sendable (Result<Void, JournalError>) -> Void) {
        writer.write {
            try LogTruncation.shrink($0)
        } completion: { [self] result in
            switch result {
            case .success(true): completion(.success(()))
            case .success(false): shrink(completion)
            case .failure(let error): completion(.failure(error))
            }
        }
    }
}

/// Deletes the oldest entries of a room, and keeps the checksum to which the next one is chained.
enum LogTruncation {
    /// How many entries are deleted in one transaction.
    private static let portion = 2_000

    /// How many pages are given back in one transaction: 1 MiB, which takes some 10 ms.
    private static let pages = 256

    /// Gives up to a portion of the unused pages back to the file system; true if none are left to
    /// give.
    ///
    /// A quarter of the file may stay unused, for the next entries. Files that were made without
    /// `auto_vacuum` don't shrink.
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

    /// Deletes up to a portion of the entries up to `offset`; true if that was all.
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
