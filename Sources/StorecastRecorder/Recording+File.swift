import StorecastPlatform

extension Recording {
    /// Reads the file at `path`.
    ///
    /// - Throws: ``RecordingError`` if it can't be read or is damaged.
    public init(contentsOf path: String) throws(RecordingError) {
        guard let file = fopen(path, "rb") else { throw Self.failure(path, "can't be opened") }
        defer { fclose(file) }
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 1 << 16)
        while true {
            let count = fread(&buffer, 1, buffer.count, file)
            bytes += buffer[..<count]
            if count < buffer.count { break }
        }
        // On some systems opening a folder succeeds and reading it fails.
        guard ferror(file) == 0 else { throw Self.failure(path, "can't be read") }
        try self.init(bytes: bytes)
    }

    /// Writes a file at `path`. It replaces an existing file, which remains if this fails.
    ///
    /// - Throws: ``RecordingError`` if it can't be written.
    public func write(to path: String) throws(RecordingError) {
        let draft = path + ".new"
        guard let file = fopen(draft, "wb") else { throw Self.failure(draft, "can't be opened") }
        let bytes = bytes
        let isWritten = fwrite(bytes, 1, bytes.count, file) == bytes.count
        guard fclose(file) == 0, isWritten else {
            throw Self.failure(draft, "can't be written")
        }
        guard rename(draft, path) == 0 else { throw Self.failure(path, "can't be replaced") }
    }

    private static func failure(_ path: String, _ what: String) -> RecordingError {
        RecordingError("\(path) \(what): \(String(cString: strerror(errno))).")
    }
}
