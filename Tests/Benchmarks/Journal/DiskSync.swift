import Glibc
import MeasureSupport

/// What the disk takes to keep a page, as a database asks it to.
enum DiskSync {
    /// The microseconds of each of `count` times that 4 KiB are appended and synced.
    static func microseconds(_ file: String, count: Int) throws -> [Double] {
        let descriptor = open(file, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw Failure("make '\(file)'", code: errno) }
        defer { close(descriptor) }
        let page = [UInt8](repeating: 7, count: 4096)
        return try (0..<count).map { _ in
            let watch = Stopwatch()
            guard write(descriptor, page, page.count) == page.count, fdatasync(descriptor) == 0
            else { throw Failure("sync '\(file)'", code: errno) }
            return watch.seconds * 1e6
        }
    }
}
