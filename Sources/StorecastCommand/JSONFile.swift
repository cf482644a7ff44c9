import StorecastServer
import StorecastTools

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Android)
    import Android
#else
    import Darwin
#endif

/// The file that `serve --json` starts from.
enum JSONFile {
    /// Reads the document in a file, which may have `longest` bytes as compact text.
    static func read(_ path: String, longest: Int) throws(CommandFailure) -> JSON {
        let bytes = try bytes(of: path)
        let limits = JSONLimits(bytes: JSONLimits.largestText, depth: JSONRoom.deepestDocument)
        let document: JSON
        do throws(JSONError) {
            document = try JSONDocument(bytes, limits: limits).root.json
        } catch {
            throw CommandFailure(
                .trouble, "\(path) can't be served: \(JSONText.sentence(error, in: bytes))")
        }
        let size = document.encodedSize
        guard size <= longest else {
            throw CommandFailure(
                .trouble,
                "\(path) can't be served: the document has \(size) bytes, and \(longest) are "
                    + "allowed. `--document-bytes \(size * 2)` allows twice as many as it has.")
        }
        return document
    }

    private static func bytes(of path: String) throws(CommandFailure) -> [UInt8] {
        guard let file = fopen(path, "rb") else { throw failure(path) }
        defer { fclose(file) }
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 1 << 16)
        while true {
            let count = fread(&buffer, 1, buffer.count, file)
            bytes += buffer[..<count]
            // More than this is never served.
            if bytes.count > JSONLimits.largestText { return bytes }
            guard count < buffer.count else { continue }
            guard ferror(file) == 0 else { throw failure(path) }
            return bytes
        }
    }

    private static func failure(_ path: String) -> CommandFailure {
        let code = errno
        var text =
            "\(path) can't be read: \(String(cString: strerror(code))). "
            + "Name a file with a JSON document in it"
        if code == ENOENT { text += "; `echo '{}' > \(path)` makes one" }
        return CommandFailure(.trouble, text + ".")
    }
}
