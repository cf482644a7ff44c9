import GRDBSQLite

/// How a disk fails.
enum DiskFault: String, CaseIterable, Sendable {
    case full, error, tornWrite

    func verdict(on operation: DiskOperation) -> DiskVerdict {
        switch (self, operation) {
        case (.full, .write): .fails(code: SQLITE_FULL)
        case (.tornWrite, .write): .tears(code: SQLITE_IOERR | 3 << 8)
        case (.error, .write): .fails(code: SQLITE_IOERR | 3 << 8)
        case (.error, .sync): .fails(code: SQLITE_IOERR | 4 << 8)
        case (.error, .truncate): .fails(code: SQLITE_IOERR | 6 << 8)
        case (.error, .delete): .fails(code: SQLITE_IOERR | 10 << 8)
        default: .done
        }
    }
}
