import Foundation
import StorecastSync

/// Keeps other processes from serving from the same file.
///
/// A lock of the system's (`flock`) on a file of its own beside it, which ends with the process
/// however that ends. Not on the file itself: closing any descriptor of that would drop the locks
/// that SQLite has on it. Nor SQLite's exclusive mode, which would keep readers and backups out.
final class StoreLock: Sendable {
    private let path: String
    private let descriptor: Int32

    /// Throws ``JournalError/unavailable(_:)`` if another process, or this one, has it.
    init(_ file: String) throws(JournalError) {
        path = file + "-lock"
        descriptor = try Self.lock(path, for: file)
        let id = Array("\(getpid())\n".utf8)
        ftruncate(descriptor, 0)
        _ = pwrite(descriptor, id, id.count, 0)
    }

    /// Lets others have it. The file goes first, so that nobody locks one that is about to go.
    func release() {
        unlink(path)
        close(descriptor)
    }

    private static func lock(_ path: String, for file: String) throws(JournalError) -> Int32 {
        while true {
            let descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
            guard descriptor >= 0 else {
                throw .unavailable("'\(path)' can't be made: \(String(cString: strerror(errno))).")
            }
            guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
                defer { close(descriptor) }
                throw .unavailable(
                    "'\(file)' is in use by \(owner(descriptor)). Stop that, or choose another file."
                )
            }
            if isStill(descriptor, at: path) { return descriptor }
            // Its last owner removed it in between; others lock the one that is there now.
            close(descriptor)
        }
    }

    private static func isStill(_ descriptor: Int32, at path: String) -> Bool {
        var (mine, current) = (stat(), stat())
        return fstat(descriptor, &mine) == 0 && stat(path, &current) == 0
            && mine.st_ino == current.st_ino && mine.st_dev == current.st_dev
    }

    private static func owner(_ descriptor: Int32) -> String {
        var text = [UInt8](repeating: 0, count: 20)
        let count = pread(descriptor, &text, text.count, 0)
        let id = String(decoding: text.prefix(max(0, count)), as: UTF8.self)
            .prefix { $0.isASCII && $0.isNumber }
        return id.isEmpty ? "another process" : "the process \(id)"
    }
}
