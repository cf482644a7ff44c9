import GRDB
import StorecastRoom

/// Makes a backup the journal again.
package enum JournalRestore {
    /// What is restored.
    package enum Source {
        /// A copy of the file.
        case file(String)
        /// The folder of a replica, or one generation of it.
        case replica(String, generation: String? = nil, until: RestorePoint = .newest)
    }

    package struct Result: Sendable {
        /// Where the replaced file is kept; nil if there was none.
        package var kept: String?
        /// Nil if a copy of the file was restored.
        package var replica: RestoredReplica?
    }

    /// Copies a backup to `file`, with a new epoch for every room, as clients may know what
    /// happened after the backup.
    ///
    /// - Parameters:
    ///   - replaces: whether an existing file is replaced, and kept beside it; else it is an error.
    ///   - progress: gets the part that is done, from 0 to 1.
    /// - Throws: `unavailable` if a file is there, in use or can't be written; `damaged` if the
    ///   backup isn't a sound journal.
    package static func run(
        from source: Source, to file: String, replaces: Bool,
        progress: @escaping (Double) -> Void = { _ in }
    ) throws -> Result {
        let path = StoreFile.canonicalPath(file)
        if case .file(let backup) = source, path == StoreFile.canonicalPath(backup) {
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
            do {
                let replica = try copy(source, to: new, progress)
                try check(new)
                try StoreEditing.write(to: new) { database in
                    try StoreSession.renewEpochs(
                        StoreHistory(seed: .random(in: .min ... .max)), in: database)
                }
                if isThere {
                    let kept = try KeptFile.replace(path, by: new, keptAs: "replaced")
                    return Result(kept: kept, replica: replica)
                }
                try KeptFile.move(new, to: path)
                return Result(replica: replica)
            } catch {
                StoreFile.remove(new)
                throw error
            }
        }
    }

    private static func copy(
        _ source: Source, to new: String, _ progress: @escaping (Double) -> Void
    ) throws -> RestoredReplica? {
        switch source {
        case .file(let backup):
            let file = try JournalFile(backup)
            defer { file.close() }
            try file.backUp(to: new, progress: progress)
            return nil
        case .replica(let folder, let generation, let point):
            let restored = try ReplicaRestore.write(
                folder, generation, until: point, to: new, progress: progress)
            guard case .found(let find) = point else { return restored }
            let whole = try JournalFile(new)
            let offset = try find(whole)
            whole.close()
            StoreFile.remove(new)
            return try ReplicaRestore.write(
                folder, generation, until: .offset(offset), to: new, progress: progress)
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
