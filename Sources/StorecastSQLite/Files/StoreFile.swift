import Foundation
import StorecastRoom

/// Paths, and the files at them.
enum StoreFile {
    /// The absolute path without symbolic links: one path for each file.
    static func canonicalPath(_ path: String) -> String {
        URL(filePath: path).resolvingSymlinksInPath().standardizedFileURL.path(
            percentEncoded: false)
    }

    static func exists(_ path: String) -> Bool { access(path, F_OK) == 0 }

    /// In bytes; 0 if there is no such file.
    static func size(_ path: String) -> Int {
        var found = stat()
        return stat(path, &found) == 0 ? Int(found.st_size) : 0
    }

    /// Throws if no file can be at `path`, before anything is made beside it.
    static func checkPlace(of path: String) throws(JournalError) {
        if isFolder(path) {
            throw .unavailable("'\(path)' is a folder: give the path of a file in it.")
        }
        let folder = URL(filePath: path).deletingLastPathComponent().path
        guard isFolder(folder) else {
            throw .unavailable("'\(path)' can't be made: there is no folder '\(folder)'.")
        }
    }

    private static func isFolder(_ path: String) -> Bool {
        var found = stat()
        return stat(path, &found) == 0 && found.st_mode & S_IFMT == S_IFDIR
    }

    /// Removes a database and the files that SQLite keeps beside it.
    static func remove(_ path: String) {
        for suffix in ["", "-wal", "-shm"] { unlink(path + suffix) }
    }

    /// Where a file is written that will replace the one at `path`. Removes what an interrupted
    /// attempt left there. The caller holds the lock of `path`.
    static func unfinished(_ path: String) -> String {
        let unfinished = path + "-unfinished"
        remove(unfinished)
        return unfinished
    }

    /// Makes the file if there is none, readable by its owner only. SQLite gives the files beside
    /// it the same permissions.
    static func make(_ path: String) throws(JournalError) {
        let descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else {
            if errno == EEXIST { return }
            throw .unavailable("'\(path)' can't be made: \(String(cString: strerror(errno))).")
        }
        close(descriptor)
        syncDirectory(of: path)
    }

    /// Makes the names of new files durable.
    static func syncDirectory(of path: String) {
        let directory = open(URL(filePath: path).deletingLastPathComponent().path, O_RDONLY)
        if directory >= 0 {
            fsync(directory)
            close(directory)
        }
    }
}

/// Replacing a journal's file by another one; the old one is kept beside it.
enum KeptFile {
    /// Puts the file at `new` in the place of the one at `path`. Nobody may have that open, and the
    /// caller holds its lock.
    ///
    /// Wherever the machine crashes, the old content is under one of the two names at least.
    ///
    /// - Returns: where the old file is kept: its path with `-word-1`, or the next free number.
    static func replace(
        _ path: String, by new: String, keptAs word: String
    ) throws(JournalError) -> String {
        var number = 1
        while StoreFile.exists("\(path)-\(word)-\(number)") { number += 1 }
        let kept = "\(path)-\(word)-\(number)"
        for suffix in ["", "-wal"] where StoreFile.size(path + suffix) > 0 {
            try check(link(path + suffix, kept + suffix), "'\(path)' can't be kept as '\(kept)'")
        }
        // Else SQLite would apply the old file's log to the new file.
        for suffix in ["-wal", "-shm"] { unlink(path + suffix) }
        try move(new, to: path)
        return kept
    }

    /// Renames a file that nobody has open.
    static func move(_ file: String, to path: String) throws(JournalError) {
        try check(rename(file, path), "'\(file)' can't be renamed to '\(path)'")
        StoreFile.syncDirectory(of: path)
    }

    private static func check(_ code: Int32, _ problem: String) throws(JournalError) {
        guard code != 0 else { return }
        throw .unavailable("\(problem): \(String(cString: strerror(errno))).")
    }
}
