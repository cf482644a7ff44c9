import Foundation
import GRDB
package import StorecastSync

/// A journal's file as its administrator sees it, also while a server serves from it.
///
/// It reads, and changes nothing. Its functions block; each sees the file as it is at one moment.
/// They throw `unavailable` and `damaged`, the latter only where SQLite itself can't go on: entries
/// that aren't what was written are said to be so, and passed.
package final class JournalFile: Sendable {
    package let path: String
    private let queue: DatabaseQueue

    /// Opens a file that is there.
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

    /// Removes a file in which there is no room, unless it is in use.
    package static func removeUnused(_ file: String) {
        let path = StoreFile.canonicalPath(file)
        try? StoreEditing.locked(path) {
            let journal = try JournalFile(path)
            defer { journal.close() }
            if try journal.rooms().isEmpty { StoreFile.remove(path) }
        }
    }

    /// Closes it, so that nothing of SQLite's is left beside the file.
    package func close() { try? queue.close() }

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

    /// Up to `limit` entries of a room behind an offset, in order; none if there is no such room.
    package func entries(
        of room: String, after offset: UInt64, limit: Int = LogPage.entries
    ) throws(JournalError) -> [JournalFileEntry] {
        try read { database in
            guard let log = try RoomLog(named: room, in: database) else { return [] }
            var last = try log.last(through: max(offset, log.floor.offset), in: database)
            var entries: [JournalFileEntry] = []
            let rows = try LogRows(of: log.id, after: last.offset, in: database)
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
            guard let log = try RoomLog(named: room, in: database) else { return [] }
            return try SnapshotTable.all(of: log.id, in: database)
        }
    }

    /// The newest snapshot of a room up to an offset that is intact.
    package func snapshot(
        of room: String, through offset: UInt64
    ) throws(JournalError) -> JournalSnapshot? {
        try read { database in
            try RoomLog(named: room, in: database).flatMap { log in
                try SnapshotTable.newest(of: log.id, through: offset, in: database)
            }
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
            // In steps, and in one transaction of the reader's: a writer doesn't make it begin
            // anew.
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
            // Without a transaction, see ``JournalRepair``.
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

    /// For reading, but not opened so: only who may write can remove SQLite's other files at the
    /// end, or put right what a crash left.
    private static func configuration(_ path: String) -> Configuration {
        var configuration = Configuration()
        configuration.label = "storecast-journal-file"
        configuration.busyMode = .timeout(5)
        configuration.prepareDatabase { database in
            if try StoreSchema.isNew(database, path) {
                throw JournalError.damaged("'\(path)' is an empty file, not a journal.")
            }
            try database.execute(sql: "PRAGMA query_only = 1")
        }
        return configuration
    }
}
