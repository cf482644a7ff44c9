import GRDB
import StorecastRoom

extension JournalError {
    static let closed = JournalError.unavailable("The journal is closed.")

    /// An error of anything but COMMIT: nothing was changed.
    init(_ error: any Error) {
        self = error as? JournalError ?? .init(reading: error)
    }

    private init(reading error: any Error) {
        let problem = Self.problem(error)
        switch (error as? DatabaseError)?.resultCode {
        case .SQLITE_CORRUPT?, .SQLITE_NOTADB?: self = .damaged(problem)
        default: self = .unavailable(problem)
        }
    }

    /// An error of COMMIT, after which the transaction was rolled back.
    ///
    /// This process sees none of it. But the frames that it wrote to the write-ahead log are still
    /// there until the next transaction overwrites them, and who opens the file after a crash takes
    /// them if they are whole: after a failed `fsync` they may be. They aren't when SQLite came to
    /// no write (busy, locked, read-only), or when a write failed, for want of space or because the
    /// file system is broken or read-only now: the frame that says COMMIT is the last of them (file
    /// systems of Linux and macOS write it as one, so that SQLite pads nothing behind it,
    /// `SQLITE_POWERSAFE_OVERWRITE`), and its checksum covers it. Bytes of an earlier try can't
    /// complete it: that try's outcome isn't known, so its batch isn't refused by its room any
    /// more.
    init(committing error: any Error) {
        let problem = Self.problem(error)
        let error = error as? DatabaseError
        switch error?.resultCode {
        case .SQLITE_FULL?, .SQLITE_BUSY?, .SQLITE_LOCKED?, .SQLITE_READONLY?:
            self = .unavailable(problem)
        case .SQLITE_IOERR? where error?.extendedResultCode == .SQLITE_IOERR_WRITE:
            self = .unavailable(problem)
        default: self = .unknownOutcome(problem)
        }
    }

    /// The same error with the path of the file.
    func naming(_ path: String) -> JournalError {
        switch self {
        case .unavailable(let problem) where !problem.contains(path):
            .unavailable("'\(path)': \(problem)")
        case .damaged(let problem) where !problem.contains(path):
            .damaged("'\(path)': \(problem)")
        default: self
        }
    }

    private static func problem(_ error: any Error) -> String {
        guard let error = error as? DatabaseError else { return "\(error)" }
        let what =
            switch error.resultCode {
            case .SQLITE_FULL: "The disk is full."
            case .SQLITE_READONLY: "The file can't be written."
            case .SQLITE_BUSY, .SQLITE_LOCKED: "Another program keeps the file locked."
            case .SQLITE_CANTOPEN, .SQLITE_PERM: "The file can't be opened."
            case .SQLITE_NOTADB: "The file is no SQLite database."
            case .SQLITE_CORRUPT: "The file is damaged."
            case .SQLITE_IOERR: "The disk failed."
            default: "SQLite failed."
            }
        let code = error.extendedResultCode.rawValue
        return "\(what) (SQLite error \(code): \(error.message ?? "no message"))"
    }
}
