import StorecastPlatform
import StorecastServer
import StorecastTools

/// The file that `serve --json` starts from.
enum JSONFile {
    /// How much is read at a time.
    static let chunkBytes = 1 << 20

    /// Reads the document in a file, which may have `longest` bytes as compact text.
    ///
    /// The file's text is in memory at most twice, and only once while the document is made of it.
    ///
    /// - Parameter progress: called after each MiB with how much of the file was read, from 0 to 1;
    ///   not for one whose size isn't known, as that of a pipe.
    static func read(
        _ path: String, longest: Int, progress: (Double) -> Void = { _ in }
    ) throws(CommandFailure) -> JSON {
        let document = try scanned(path, progress).root.json
        let size = document.encodedSize
        guard size <= longest else {
            throw CommandFailure(
                .trouble,
                "\(path) can't be served: the document has \(size) bytes, and \(longest) are "
                    + "allowed. " + advice(size))
        }
        return document
    }

    /// What to do about a document that is too long.
    private static func advice(_ size: Int) -> String {
        let most = JSONRoom.mostBytes
        return size <= most
            ? "`--document-bytes \(min(size * 2, most))` leaves it room to grow."
            : "No more than \(most) can be served."
    }

    private static func scanned(
        _ path: String, _ progress: (Double) -> Void
    ) throws(CommandFailure) -> JSONDocument {
        let bytes = try bytes(of: path, progress)
        let limits = JSONLimits(bytes: JSONLimits.largestText, depth: JSONRoom.deepestDocument)
        do throws(JSONError) {
            return try JSONDocument(bytes, limits: limits)
        } catch {
            throw CommandFailure(
                .trouble, "\(path) can't be served: \(error.sentence(in: bytes))")
        }
    }

    private static func bytes(
        of path: String, _ progress: (Double) -> Void
    ) throws(CommandFailure) -> [UInt8] {
        guard let file = fopen(path, "rb") else { throw failure(path) }
        defer { fclose(file) }
        // Nothing of what can't be moved about in, as a pipe.
        let size = fseek(file, 0, SEEK_END) == 0 ? max(0, ftell(file)) : 0
        rewind(file)
        var bytes: [UInt8] = []
        // More than this is never served.
        bytes.reserveCapacity(min(size, JSONLimits.largestText + 1))
        var chunk = [UInt8](repeating: 0, count: chunkBytes)
        while true {
            let count = fread(&chunk, 1, chunk.count, file)
            // Now, as what is called next may fail in a way of its own.
            guard ferror(file) == 0 else { throw failure(path) }
            bytes += chunk[..<count]
            if size > 0 { progress(min(1, Double(bytes.count) / Double(size))) }
            if bytes.count > JSONLimits.largestText { return bytes }
            if count < chunk.count { return bytes }
        }
    }

    private static func failure(_ path: String) -> CommandFailure {
        let code = errno
        if code == EISDIR || path.hasSuffix("/") {
            return CommandFailure(
                .trouble, "\(path) is a folder. Name a file in it that has a JSON document.")
        }
        var text =
            "\(path) can't be read: \(String(cString: strerror(code))). "
            + "Name a file with a JSON document in it"
        if code == ENOENT { text += "; `echo '{}' > \(path)` makes one" }
        return CommandFailure(.trouble, text + ".")
    }
}
