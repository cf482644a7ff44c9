#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Android)
    import Android
#else
    import Darwin
#endif

/// Where a command writes much text: standard output, or a file that it makes.
final class TextOutput {
    #if canImport(Musl) || canImport(Android)
        private typealias Stream = OpaquePointer
    #else
        private typealias Stream = UnsafeMutablePointer<FILE>
    #endif

    /// Nil when it is closed.
    private var stream: Stream?
    /// The file's path; nil for standard output.
    private let path: String?

    /// - Parameter path: a file that isn't there yet, which nobody else may read then; nil for
    ///   standard output.
    init(to path: String?) throws(CommandFailure) {
        self.path = path
        let descriptor =
            path.map { open($0, O_WRONLY | O_CREAT | O_EXCL, 0o600) } ?? dup(STDOUT_FILENO)
        if descriptor < 0, errno == EEXIST, let path {
            throw CommandFailure(.trouble, "'\(path)' is there already; choose another file.")
        }
        stream = descriptor < 0 ? nil : fdopen(descriptor, "w")
        if stream == nil { throw failure() }
    }

    deinit {
        if let stream { fclose(stream) }
    }

    /// Text for a terminal is made safe for it.
    func write(_ text: [UInt8]) throws(CommandFailure) {
        let isShown = path == nil && StandardOutput.isTerminal
        let bytes = isShown ? Array(String(decoding: text, as: UTF8.self).terminalSafe.utf8) : text
        guard let stream, fwrite(bytes, 1, bytes.count, stream) == bytes.count else {
            throw failure()
        }
    }

    /// Writes what is left; throws if any of it can't be written.
    func close() throws(CommandFailure) {
        defer { stream = nil }
        guard let stream, fclose(stream) == 0 else { throw failure() }
    }

    /// Removes a file that wasn't finished.
    func discard() {
        if let path { unlink(path) }
    }

    private func failure() -> CommandFailure {
        let reason = String(cString: strerror(errno))
        return CommandFailure(
            .trouble, "\(path.map { "'\($0)'" } ?? "Standard output") can't be written: \(reason).")
    }
}
