import GRDB
import StorecastRoom

/// Makes a backup the journal again.
package enum JournalRestore {
    /// Copies a backup to `file`, with a new epoch for every room, as clients may know what
    /// happened after the backup.
    ///
    /// - Parameters:
    ///   - replaces: whether an existing file is replaced, and kept beside it; else it is an error.
    ///   - progress: gets the part that is done, from 0 to 1.
    /// - Returns: where the replaced file is kept; nil if there was none.
    /// - Throws: `unavailable` if a file is there, in use or can't be written; `damaged` if the
    ///   backup isn't a sound journal.
    package static func run(
        from backup: String, to file: String, replaces: Bool,
        progress: @escaping (Double) -> Void = { _ in }
    ) throws -> String? {
        let source = try JournalFile(backup)
        defer { source.close() }
        let path = StoreFile.canonicalPath(file)
        guard path != source.path else {
            throw JournalError.unavailable("The backup can't be restored to itself.")
        }
        return try StoreEditing.locked(path) {
            let isThere = StoreFile.exists(path)
            guard replaces || !isThere else {
                throw JournalError.unavailable(
                    "'\(path)' is there already. Say --replace to put the backup in its place and "
                        + "keep the file under another name.")
            }
            let new = StoreFile.unfinished(path)
            try source.backUp(to: new, progress: progress)
            do {
                try check(new)
                try StoreEditing.write(to: new) { database in
                    try StoreSession.renewEpochs(
                        StoreHistory(seed: .random(in: .min ... .max)), in: database)
                }
                if isThere { return try KeptFile.replace(path, by: new, keptAs: "replaced") }
                try KeptFile.move(new, to: path)
                return nil
            } catch {
                StoreFile.remove(new)
                throw error
            }
        }
    }

    private static func check(_ path: String) throws {
        let copy = try JournalFile(path)
        defer { copy.close() }
        guard try copy.isSound() else {
            throw JournalError.damaged(
                "The backup is damaged. Take another one, or repair it first: "
                    + "storecast journal repair.")
        }
    }
}
