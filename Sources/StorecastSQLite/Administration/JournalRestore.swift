import GRDB
import StorecastSync

/// Makes a backup the journal again.
package enum JournalRestore {
    /// Copies a backup to `file`, with another epoch for every room, so that no client trusts what
    /// came behind the backup.
    ///
    /// - Parameters:
    ///   - replaces: whether a file that is there makes way, and is kept; else it is an error.
    ///   - progress: is told how much of the whole is done, from 0 to 1.
    /// - Returns: what the file that was there is called now; nil if there was none.
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
