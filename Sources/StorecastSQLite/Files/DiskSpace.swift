import Foundation
import Synchronization

/// What is left of the disk that a file is on, as of a second ago.
final class DiskSpace: Sendable {
    private let folder: String
    private let last = Mutex<(free: Int?, at: ContinuousClock.Instant)?>(nil)

    init(of path: String) {
        folder = URL(filePath: path).deletingLastPathComponent().path
    }

    /// In bytes, for this user; nil if the system doesn't tell.
    var free: Int? {
        last.withLock { last in
            let now = ContinuousClock.now
            if let last, now - last.at < .seconds(1) { return last.free }
            var space = statvfs()
            let free =
                statvfs(folder, &space) == 0
                ? Int(clamping: UInt64(space.f_bavail) &* UInt64(space.f_frsize)) : nil
            last = (free, now)
            return free
        }
    }
}
