import GRDB
import StorecastRoom

/// Appends entries to the logs of rooms, and remembers where these end. Used by the writer only.
struct LogWriter {
    private struct RoomEnd {
        var id: Int64
        /// The newest entry.
        var place: LogPlace
    }

    /// When it remembers more rooms than this, it forgets them all and looks them up again.
    private static let rememberedRooms = 10_000

    private let history: StoreHistory
    /// The newest offset of all rooms.
    private var newest: UInt64
    private var ends: [ExactString: RoomEnd] = [:]
    /// ``newest`` and ``ends`` once the current transaction is committed.
    private var next: UInt64
    private var changes: [ExactString: RoomEnd] = [:]

    init(_ history: StoreHistory, newest: UInt64) {
        self.history = history
        self.newest = newest
        next = newest
    }

    /// Appends a batch within a transaction; returns the offset of its last entry.
    mutating func append(
        _ rows: [EntryRow], to room: String, in database: Database
    ) throws -> UInt64 {
        let key = ExactString(room)
        var end = try changes[key] ?? ends[key] ?? end(of: room, in: database)
        var insertion = try EntryInsertion(into: database)
        for row in rows {
            next += 1
            try insertion.append(row, at: next, to: end.id, after: &end.place)
        }
        changes[key] = end
        return next
    }

    /// The transaction was committed.
    mutating func keep() {
        newest = next
        if ends.count > Self.rememberedRooms { ends.removeAll() }
        ends.merge(changes) { $1 }
        changes.removeAll(keepingCapacity: true)
    }

    /// The transaction was rolled back.
    mutating func forget() {
        next = newest
        changes.removeAll(keepingCapacity: true)
    }

    /// Looks up the end of a room's log, or begins it.
    private func end(of room: String, in database: Database) throws -> RoomEnd {
        let log = try RoomRow.find(room, orBeginIn: history, database)
        return RoomEnd(id: log.id, place: try log.head(in: database))
    }
}

/// A room's batch on its way to the writer.
struct AppendRequest: Sendable {
    let room: String
    let batch: [JournalEntry]
    /// Called once: on the writer's thread or, if the journal is closed, at once.
    let completion: @Sendable (Result<UInt64, JournalError>) -> Void

    /// Appends the batch within a transaction; throws what ends the transaction.
    func append(
        to log: inout LogWriter, in database: Database
    ) throws -> Result<UInt64, JournalError> {
        let rows: [EntryRow]
        do throws(JournalError) {
            rows = try encoded()
        } catch {
            return .failure(error)
        }
        return .success(try log.append(rows, to: room, in: database))
    }

    /// The rows of the batch. Encoding them on the writer's thread spares the loop.
    private func encoded() throws(JournalError) -> [EntryRow] {
        var rows: [EntryRow] = []
        rows.reserveCapacity(batch.count)
        for (place, entry) in batch.enumerated() {
            let row: EntryRow
            do {
                row = EntryRow(try JournalRecord(entry))
            } catch {
                throw .unfit(place: place, "An action can't be encoded: \(error)")
            }
            try row.check(place: place)
            rows.append(row)
        }
        return rows
    }
}
