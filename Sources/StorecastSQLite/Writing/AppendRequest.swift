import GRDB
import StorecastRoom

/// A room's batch on its way to the writer.
struct AppendRequest: Sendable {
    /// An entry with more text than this isn't kept: 16 MiB.
    static let largestEntry = 16 << 20

    let room: String
    let batch: [JournalEntry]
    /// Called once, on the writer's thread or, if the journal is closed, at once.
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

    /// The batch's rows; made here, as the loop has better things to do.
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
            guard row.textBytes <= Self.largestEntry, row.time.isFinite else {
                throw .unfit(
                    place: place,
                    "The entry has \(row.textBytes) bytes; the journal takes \(Self.largestEntry).")
            }
            rows.append(row)
        }
        return rows
    }
}
