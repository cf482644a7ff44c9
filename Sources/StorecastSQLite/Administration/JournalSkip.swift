import GRDB
import StorecastRoom

/// Lets a room go on without an entry that can't be reduced.
package enum JournalSkip {
    /// Marks the entry at an offset as rejected, in a file that no server is using. The entry stays
    /// in the file; the room gets a new epoch.
    ///
    /// - Returns: the names of the entry's actions.
    /// - Throws: `unavailable` if the file is in use, there is no such entry, it is rejected
    ///   already, or a snapshot holds what it did.
    package static func run(
        on file: String, room: String, offset: UInt64
    ) throws -> String {
        let path = StoreFile.canonicalPath(file)
        // Throws if there is no such file: writing would make one.
        try JournalFile(path).close()
        return try StoreEditing.locked(path) {
            try StoreEditing.write(to: path) { database in
                guard let entry = try SuspectedEntry(offset, of: room, in: database) else {
                    throw JournalError.unavailable(
                        "Room '\(room)' has no entry at offset \(offset) that isn't rejected.")
                }
                guard try !entry.isInSnapshot(in: database) else {
                    throw JournalError.unavailable(
                        "A snapshot of room '\(room)' holds what the entry at offset \(offset) did: "
                            + "it was reduced, and can't be skipped any more. Mend the reducer.")
                }
                try entry.bury(crashes: nil, in: database)
                // Clients may have seen its effect, and the same versions mean other states now.
                var random = SystemRandomNumberGenerator()
                try database.execute(
                    sql: "UPDATE rooms SET epoch = ? WHERE name = ?",
                    arguments: [randomID(using: &random), room])
                return entry.types
            }
        }
    }
}
