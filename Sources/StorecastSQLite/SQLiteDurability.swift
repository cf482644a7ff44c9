/// What an acknowledged action survives.
public enum SQLiteDurability: String, Sendable, CaseIterable {
    /// The process's death, the system's, and a power cut: the disk has the action before it is
    /// acknowledged (SQLite's `synchronous=FULL`: one `fsync` for every group of batches).
    case full
    /// The process's death. A power cut or a crash of the system may take the newest actions, those
    /// since the last checkpoint, although they were acknowledged (`synchronous=NORMAL`).
    ///
    /// After that every room has a new epoch, so that clients don't trust positions that are gone;
    /// it is known from the system's boot id and from whether the file was closed.
    case normal

    /// SQLite's name of it, and the number with which it answers.
    var pragma: (name: String, number: Int) {
        switch self {
        case .full: ("FULL", 2)
        case .normal: ("NORMAL", 1)
        }
    }
}
