import Foundation
import GRDB
package import StorecastRoom

/// Read access to a journal's file for its administrator, also while a server serves from it.
///
/// Its functions block, and each sees the file as it is at one moment. They throw `unavailable` and
/// `damaged`, the latter only if SQLite itself fails: entries that aren't what was written are
/// returned and marked.
package final class JournalFile: Sendable {
    package let path: String
    private let queue: DatabaseQueue

    /// Opens an existing file.
    package init(_ file: String) throws(JournalError) {
        path = StoreFile.canonicalPath(file)
        guard StoreFile.exists(path) else {
            throw .unavailable("There is no file '\(path)'.")
        }
        do {
            queue = try DatabaseQueue(path: path, configuration: Self.configuration(path))
        } catch {
            throw Self.problem(error, opening: path)
        }
    }

    private static func problem(_ error: any Error, opening path: String) -> JournalError {
        let folder = URL(filePath: path).deletingLastPathComponent().path
        let files: [String] = [path, folder]
        let closed = files.first { file in access(file, R_OK | W_OK) != 0 }
        guard let closed else { return JournalError(error).naming(path) }
        return .unavailable(
            "'\(path)' can't be opened, as '\(closed)' can't be written: SQLite keeps files beside the "
                + "one that it reads. Ask for the permission, or copy the file, with those beside it, "
                + "to a folder of yours.")
    }

    /// Runs `body` with an existing file that no server uses meanwhile.
    ///
    /// - Throws: `unavailable` if it is in use, or isn't there, and what `body` throws.
    package static func whileUnused<Value>(
        _ file: String, _ body: (JournalFile) async throws -> Value
    ) async throws -> Value {
        let journal = try JournalFile(file)
        defer { journal.close() }
        let lock = try StoreLock(journal.path)
        defer { lock.release() }
        return try await body(journal)
    }

    /// Closes it; SQLite then removes the files that it keeps beside it.
    package func close() { try? queue.close() }

    /// Whether the newest entries may be gone, as the machine went down while a server relied on it
    /// to keep them. The next server that uses the file gives every room another epoch then.
    package func mayLackEntries(
        boot: String = StoreSession.bootID()
    ) throws(JournalError) -> Bool {
        try read { try StoreSession.mayLackEntries(boot: boot, in: $0) }
    }

    /// The names of the rooms, in order; however much is in them.
    package func names() throws(JournalError) -> [String] {
        try read { database in
            try String.fetchAll(database, sql: "SELECT name FROM rooms ORDER BY name")
        }
    }

    /// The rooms, in the order of their names.
    package func rooms() throws(JournalError) -> [JournalRoom] {
        try read { database in
            try Row.fetchAll(
                database,
                sql: """
                    SELECT name, epoch, floor,
                        (SELECT count(*) FROM entries WHERE room = rooms.id) AS entries,
                        (SELECT max(offset) FROM entries WHERE room = rooms.id) AS head
                    FROM rooms ORDER BY name
                    """
            ).map { JournalRoom($0) }
        }
    }

    /// Up to `limit` entries of a room after an offset, in order; none if there is no such room.
    package func entries(
        of room: String, after offset: UInt64, limit: Int = LogPage.entries
    ) throws(JournalError) -> [JournalFileEntry] {
        try read { database in
            guard let log = try RoomRow(named: room, in: database) else { return [] }
            var last = try log.last(through: max(offset, log.floor.offset), in: database)
            var entries: [JournalFileEntry] = []
            let rows = try EntryRows(of: log.id, after: last.offset, in: database)
            while entries.count < limit, let (place, row) = try rows.next() {
                let record = try? row.verified(at: place, after: last)
                entries.append(
                    JournalFileEntry(
                        offset: place.offset, record: record ?? (try? row.record()),
                        isIntact: record != nil, isSkipped: row.tombstone != nil))
                last = place
            }
            return entries
        }
    }

    /// The offsets and versions of a room's snapshots, the oldest first, intact or not.
    package func snapshots(
        of room: String
    ) throws(JournalError) -> [(offset: UInt64, version: UInt64, bytes: Int)] {
        try read { database in
            guard let log = try RoomRow(named: room, in: database) else { return [] }
            return try SnapshotTable.all(of: log.id, in: database)
        }
    }

    /// The newest snapshot of a room up to an offset that is intact.
    package func snapshot(
        of room: String, through offset: UInt64
    ) throws(JournalError) -> JournalSnapshot? {
        try read { database in
            try SnapshotTable.newest(ofRoom: room, through: offset, in: database)
        }
    }

    /// Copies the file as it is at this moment into a new one, which is a journal like this one.
    ///
    /// A server may go on writing; what it writes meanwhile isn't in the copy. `progress` is told
    /// how much of the whole is done, from 0 to 1. Throws `unavailable` if there is such a file
    /// already.
    package func backUp(
        to file: String, progress: @escaping (Double) -> Void = { _ in }
    ) throws(JournalError) {
        let target = StoreFile.canonicalPath(file)
        guard !StoreFile.exists(target) else {
            throw .unavailable("'\(target)' is there already; choose another file.")
        }
        try StoreFile.make(target)
        do {
            let copy = try DatabaseQueue(path: target)
            // In steps, but in one read transaction, so that a writer doesn't make it start over.
            try queue.backup(to: copy, pagesPerStep: 1_000) { step in
                progress(Double(step.completedPageCount) / Double(max(1, step.totalPageCount)))
            }
            try copy.close()
        } catch {
            StoreFile.remove(target)
            throw JournalError(error).naming(target)
        }
    }

    /// Whether everything in it is what was written. Takes as long as reading all of it.
    package func isSound() throws(JournalError) -> Bool {
        do {
            // Without a transaction, as in ``JournalRepair``.
            return try queue.unsafeRead { try JournalSalvage(of: $0).isSound }
        } catch {
            throw JournalError(error).naming(path)
        }
    }

    func read<Value>(
        _ body: (Database) throws -> Value
    ) throws(JournalError) -> Value {
        do {
            return try queue.read(body)
        } catch {
            throw JournalError(error).naming(path)
        }
    }

    /// It only reads, but the file is opened for writing: SQLite has to recover the log after a
    /// crash, and to remove the files beside it at the end.
    private static func configuration(_ path: String) -> Configuration {
        var configuration = Configuration()
        configuration.label = "storecast-journal-file"
        configuration.busyMode = .timeout(5)
        configuration.prepareDatabase { database in
            try StoreSchema.check(database, path)
            try database.execute(sql: "PRAGMA query_only = 1")
        }
        return configuration
    }
}

extension JournalFile {
    /// The offset up to which entries of a room are no longer kept; 0 if all are. O(log n).
    package func floor(of room: String) throws(JournalError) -> UInt64 {
        try read { database in try RoomRow(named: room, in: database)?.floor.offset ?? 0 }
    }

    /// The offset after which the last `count` entries of a room begin. O(count).
    package func offset(beforeLast count: Int, of room: String) throws(JournalError) -> UInt64 {
        try read { database in
            guard let log = try RoomRow(named: room, in: database) else { return 0 }
            let offset = try Int64.fetchOne(
                database,
                sql: """
                    SELECT offset FROM entries WHERE room = ? ORDER BY offset DESC LIMIT 1 OFFSET ?
                    """, arguments: [log.id, count])
            return offset.map { UInt64(bitPattern: $0) } ?? log.floor.offset
        }
    }
}

/// A room in a journal's file.
package struct JournalRoom: Equatable, Sendable {
    package var name: String
    package var epoch: String
    /// Entries up to this offset are no longer kept; 0 if all are.
    package var floor: UInt64
    /// The offset of the newest entry, kept or not.
    package var head: UInt64
    /// How many entries are kept.
    package var entries: Int
}

extension JournalRoom {
    init(_ row: Row) {
        name = row["name"]
        epoch = row["epoch"]
        floor = UInt64(bitPattern: row["floor"])
        head = max(floor, UInt64(bitPattern: row["head"] ?? 0))
        entries = row["entries"]
    }
}

/// An entry in a journal's file.
package struct JournalFileEntry: Equatable, Sendable {
    package var offset: UInt64
    /// Nil if it can't be decoded.
    package var record: JournalRecord?
    /// Whether it is what was written after the entry before it.
    package var isIntact: Bool
    /// Whether it was rejected later, because reducing it ended the process.
    package var isSkipped = false
}
