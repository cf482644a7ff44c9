import StorecastMirror
import StorecastPlatform
import StorecastSync

/// An outbox's text in a file, which one storage at a time can lock.
///
/// The lock is on the file itself and ends with the process, however that ends. A new text is
/// written beside the file and takes its place by renaming.
final class FileOutboxStorage: OutboxStorage {
    private let path: String
    /// Negative while it is let go of.
    private var file: Int32
    /// What it was when it was let go of.
    private var left = stat()

    /// Opens and locks the file; makes it, for its owner alone, if it isn't there.
    ///
    /// - Parameter opened: called whenever the file is open and not locked yet.
    init(_ path: String, opened: () -> Void = {}) throws(Rejection) {
        self.path = path
        // Last, as `deinit` closes it.
        file = try Self.openLocked(path, O_RDWR | O_CREAT, opened: opened)
    }

    deinit {
        if file >= 0 { Self.letGo(file) }
    }

    func release() {
        fstat(file, &left)
        Self.letGo(file)
        file = -1
    }

    func reclaim() throws(Rejection) {
        let file = try Self.openLocked(path, O_RDWR)
        var found = stat()
        fstat(file, &found)
        guard found.st_ino == left.st_ino, found.st_dev == left.st_dev,
            found.st_size == left.st_size
        else {
            Self.letGo(file)
            throw Rejection(
                .outboxLocked, "Another connection has used the outbox.",
                detail: "'\(path)' was changed while it wasn't locked here.")
        }
        lseek(file, 0, SEEK_END)
        self.file = file
    }

    func read() throws(Rejection) -> [UInt8] {
        var text: [UInt8] = []
        let size = 64 << 10
        while true {
            let offset = off_t(text.count)
            var count = 0
            let piece = [UInt8](unsafeUninitializedCapacity: size) { buffer, used in
                count = pread(file, buffer.baseAddress, size, offset)
                used = max(0, count)
            }
            if count < 0, errno == EINTR { continue }
            if count < 0 { throw Self.failure(.outboxUnreadable, path) }
            if count == 0 { break }
            text += piece
        }
        lseek(file, 0, SEEK_END)
        return text
    }

    func append(_ text: [UInt8]) throws(Rejection) {
        try Self.write(text, to: file, path)
    }

    func sync() throws(Rejection) {
        try Self.sync(file, path)
    }

    func replace(with text: [UInt8]) throws(Rejection) {
        let newPath = path + ".new"
        let new = try Self.open(newPath, O_RDWR | O_CREAT | O_TRUNC)
        do throws(Rejection) {
            guard try Self.lock(new, newPath) else { throw Self.locked(newPath) }
            try Self.write(text, to: new, newPath)
            try Self.sync(new, newPath)
            guard rename(newPath, path) == 0 else { throw Self.failure(.outboxUnwritable, path) }
        } catch {
            Self.letGo(new)
            throw error
        }
        Self.letGo(file)
        file = new
        try Self.syncFolder(of: path)
    }

    // MARK: System calls

    private static func openLocked(
        _ path: String, _ flags: Int32, opened: () -> Void = {}
    ) throws(Rejection) -> Int32 {
        while true {
            let file = try open(path, flags)
            opened()
            do throws(Rejection) {
                // It may have been replaced between the two.
                if try lock(file, path), isSame(file, path) { return file }
            } catch {
                close(file)
                throw error
            }
            close(file)
        }
    }

    private static func open(_ path: String, _ flags: Int32) throws(Rejection) -> Int32 {
        let file = systemOpen(path, flags | O_CLOEXEC)
        guard file >= 0 else { throw failure(.outboxUnwritable, path) }
        return file
    }

    /// False if a signal came between.
    private static func lock(_ file: Int32, _ path: String) throws(Rejection) -> Bool {
        if flock(file, LOCK_EX | LOCK_NB) == 0 { return true }
        if errno == EINTR { return false }
        throw errno == EWOULDBLOCK ? locked(path) : failure(.outboxUnwritable, path)
    }

    /// Unlocks and closes a file. A process that is being started has its descriptor until it runs
    /// its program, and closing this one alone would leave the lock with that.
    private static func letGo(_ file: Int32) {
        flock(file, LOCK_UN)
        close(file)
    }

    /// Whether `path` still names the open file.
    private static func isSame(_ file: Int32, _ path: String) -> Bool {
        var (own, named) = (stat(), stat())
        return fstat(file, &own) == 0 && stat(path, &named) == 0 && own.st_ino == named.st_ino
            && own.st_dev == named.st_dev
    }

    private static func write(
        _ text: [UInt8], to file: Int32, _ path: String
    ) throws(Rejection) {
        var rest = text[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { systemWrite(file, $0) }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { throw failure(.outboxUnwritable, path) }
            rest = rest.dropFirst(count)
        }
    }

    private static func sync(_ file: Int32, _ path: String) throws(Rejection) {
        guard synchronize(file) == 0 else { throw failure(.outboxUnwritable, path) }
    }

    /// Makes a new name in the folder survive a crash.
    private static func syncFolder(of path: String) throws(Rejection) {
        let end = path.lastIndex(of: "/")
        let folder = end.map { $0 == path.startIndex ? "/" : String(path[..<$0]) } ?? "."
        let handle = try open(folder, O_RDONLY | O_DIRECTORY)
        defer { close(handle) }
        try sync(handle, folder)
    }

    private static func locked(_ path: String) -> Rejection {
        Rejection(
            .outboxLocked, "Another connection uses the outbox.",
            detail: "'\(path)' is locked. Use a file for each connection that is open at once.")
    }

    private static func failure(_ code: Rejection.Code, _ path: String) -> Rejection {
        let reason = String(cString: strerror(errno))
        return Rejection(
            code,
            code == .outboxUnwritable
                ? "The outbox can't be written." : "The outbox can't be read.",
            detail: "'\(path)': \(reason)")
    }
}

// Members of the same names hide the system's from the type.

private func systemOpen(_ path: String, _ flags: Int32) -> Int32 {
    open(path, flags, 0o600)
}

private func systemWrite(_ file: Int32, _ bytes: UnsafeRawBufferPointer) -> Int {
    write(file, bytes.baseAddress, bytes.count)
}
