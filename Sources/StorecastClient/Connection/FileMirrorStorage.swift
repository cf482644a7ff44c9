import StorecastMirror
import StorecastPlatform
import StorecastSync

/// A cache's text in a file, readable for its owner alone.
///
/// A new text is written beside the file and takes its place by renaming. It isn't synced: what a
/// crash of the machine tears is found out by its checksums, and costs no more than the values.
final class FileMirrorStorage: MirrorStorage {
    private let path: String

    init(_ path: String) {
        self.path = path
    }

    func read(atMost most: Int) -> [UInt8]? {
        let file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard file >= 0 else { return nil }
        defer { close(file) }
        var status = stat()
        guard fstat(file, &status) == 0, status.st_mode & S_IFMT == S_IFREG, status.st_size <= most
        else { return nil }
        let size = Int(status.st_size)
        var isWhole = false
        let text = [UInt8](unsafeUninitializedCapacity: size) { buffer, used in
            while used < size {
                let count = pread(file, buffer.baseAddress! + used, size - used, off_t(used))
                if count < 0, errno == EINTR { continue }
                guard count > 0 else { return }
                used += count
            }
            isWhole = true
        }
        return isWhole ? text : nil
    }

    func replace(with text: [UInt8]) throws(Rejection) {
        let newPath = path + ".new"
        // One that a crash has left may have another owner or mode.
        unlink(newPath)
        let file = open(newPath, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard file >= 0 else { throw failure() }
        let isWritten = Self.write(text, to: file)
        guard close(file) == 0, isWritten, rename(newPath, path) == 0 else {
            let failure = failure()
            unlink(newPath)
            throw failure
        }
    }

    func remove() throws(Rejection) {
        unlink(path + ".new")
        guard unlink(path) == 0 || errno == ENOENT else { throw failure() }
    }

    private static func write(_ text: [UInt8], to file: Int32) -> Bool {
        text.withUnsafeBytes { bytes in
            var rest = bytes[...]
            while !rest.isEmpty {
                let count = systemWrite(file, UnsafeRawBufferPointer(rebasing: rest))
                if count < 0, errno == EINTR { continue }
                guard count > 0 else { return false }
                rest = rest.dropFirst(count)
            }
            return true
        }
    }

    private func failure() -> Rejection {
        let reason = String(cString: strerror(errno))
        return Rejection(
            .cacheUnwritable, "The cache can't be written or removed.",
            detail: "'\(path)': \(reason)")
    }
}

/// The type's member of the same name hides the system's.
private func systemWrite(_ file: Int32, _ bytes: UnsafeRawBufferPointer) -> Int {
    write(file, bytes.baseAddress, bytes.count)
}
