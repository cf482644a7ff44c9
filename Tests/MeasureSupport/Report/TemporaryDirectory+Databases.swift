import Glibc
package import TestSupport

extension TemporaryDirectory {
    private static let suffixes = ["", "-wal", "-shm", "-lock"]

    /// How large a database is, with what SQLite has beside it.
    package func bytes(of name: String) -> Int {
        Self.suffixes.reduce(0) { sum, suffix in
            var status = stat()
            return stat(file(name) + suffix, &status) == 0 ? sum + status.st_size : sum
        }
    }
}
