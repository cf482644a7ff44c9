import Foundation
import StorecastRoom

/// A journal's file that makes way for another, and is kept beside it.
enum KeptFile {
    /// Puts the file at `new` in the place of the one at `path`, whose lock the caller has, and
    /// which nobody has open; returns what that is called now: its name with `-word-1`, or the next
    /// number that is free.
    ///
    /// Whenever the machine stops, the old content is there under one of the two names at least.
    static func replace(
        _ path: String, by new: String, keptAs word: String
    ) throws(JournalError) -> String {
        var number = 1
        while StoreFile.exists("\(path)-\(word)-\(number)") { number += 1 }
        let kept = "\(path)-\(word)-\(number)"
        for suffix in ["", "-wal"] where StoreFile.size(path + suffix) > 0 {
            try check(link(path + suffix, kept + suffix), "'\(path)' can't be kept as '\(kept)'")
        }
        // SQLite would take an old log for the new file's.
        for suffix in ["-wal", "-shm"] { unlink(path + suffix) }
        try move(new, to: path)
        return kept
    }

    /// Gives a file that nobody has open another name.
    static func move(_ file: String, to path: String) throws(JournalError) {
        try check(rename(file, path), "'\(file)' can't be renamed to '\(path)'")
        StoreFile.syncDirectory(of: path)
    }

    private static func check(_ code: Int32, _ problem: String) throws(JournalError) {
        guard code != 0 else { return }
        throw .unavailable("\(problem): \(String(cString: strerror(errno))).")
    }
}
