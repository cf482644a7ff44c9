/// What an acknowledged action survives.
public enum SQLiteDurability: String, Sendable, CaseIterable {
    /// The end of the process, and a crash of the machine or a power cut, as far as the disk keeps
    /// what it says it has kept.
    ///
    /// SQLite's `synchronous=FULL`: an `fsync` for every group of batches.
    case machine
    /// The end of the process at any moment. A crash of the machine may take the newest actions,
    /// although they were acknowledged.
    ///
    /// SQLite's `synchronous=NORMAL`: an `fsync` every 4 MiB or so. After a crash of the machine
    /// every room begins a new epoch, so that clients don't trust positions that may be gone.
    case process

    /// SQLite's name of it, and the number with which it answers.
    var pragma: (name: String, number: Int) {
        switch self {
        case .machine: ("FULL", 2)
        case .process: ("NORMAL", 1)
        }
    }
}
