import GRDB

/// A room as a journal's file has it.
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
