import Foundation
import StorecastTesting

extension JournalBench {
    /// Copies a file that is in use, with its log: what the end of the process would leave.
    func copyFiles(of path: String, to copy: String) throws -> String {
        for suffix in ["", "-wal"] {
            try FileManager.default.copyItem(atPath: path + suffix, toPath: copy + suffix)
        }
        return copy
    }
}
