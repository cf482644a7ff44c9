import Foundation
import StorecastSync

/// The path of a journal's file, and the making of it.
enum StoreFile {
    /// The absolute path without symbolic links, which is the same for all who mean the file.
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

    /// Removes a file and what SQLite had beside it.
    static func remove(_ path: String) {
        for suffix in ["", "-wal", "-shm"] { unlink(path + suffix) }
    }

    /// The path under which a file is made that is to take the place of the one at `path`, whose
    /// lock the caller has; what was left there by one that was stopped is gone.
    static func unfinished(_ path: String) -> String {
        let unfinished = path + "-unfinished"
        remove(unfinished)
        return unfinished
    }

    /// Makes the file, for its owner alone, if there is none. SQLite's other files get the same
    /// permissions.
    static func make(_ path: String) throws(JournalError) {
        let descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else {
            if errno == EEXIST { return }
            throw .unavailable("'\(path)' can't be made: \(String(cString: strerror(errno))).")
        }
        close(descriptor)
        syncDirectory(of: path)
    }

    /// The name of a new file is durable when its directory is.
    static func syncDirectory(of path: String) {
        let directory = open(URL(filePath: path).deletingLastPathComponent().path, O_RDONLY)
        if directory >= 0 {
            fsync(directory)
            close(directory)
        }
    }
}
