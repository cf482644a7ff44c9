import Glibc

/// A directory on the disk that `TMPDIR` names, or of `/tmp`; gone with this object.
final class TemporaryDirectory {
    private let path: String
    private var files: Set<String> = []

    init() throws {
        let parent = getenv("TMPDIR").map { String(cString: $0) } ?? "/tmp"
        var template = Array("\(parent)/storecast-XXXXXX".utf8CString)
        guard mkdtemp(&template) != nil else {
            throw Failure("make a directory in '\(parent)'", code: errno)
        }
        path = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    deinit {
        for name in files { remove(name) }
        rmdir(path)
    }

    /// The path of a file in it.
    func file(_ name: String) -> String {
        files.insert(name)
        return "\(path)/\(name)"
    }

    /// How large a file is, with what SQLite has beside it.
    func bytes(of name: String) -> Int {
        Self.suffixes.reduce(0) { sum, suffix in
            var status = stat()
            return stat("\(path)/\(name)\(suffix)", &status) == 0 ? sum + status.st_size : sum
        }
    }

    /// Removes a file, with what SQLite has beside it.
    func remove(_ name: String) {
        for suffix in Self.suffixes { unlink("\(path)/\(name)\(suffix)") }
    }

    private static let suffixes = ["", "-wal", "-shm", "-lock"]
}
