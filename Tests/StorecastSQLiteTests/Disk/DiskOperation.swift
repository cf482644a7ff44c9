/// What SQLite asks of the disk that changes something.
enum DiskOperation: Equatable, Sendable {
    case write(DiskFile, offset: Int, [UInt8])
    case truncate(DiskFile, size: Int)
    case sync(DiskFile)
    case delete(DiskFile)

    var file: DiskFile {
        switch self {
        case .write(let file, _, _), .truncate(let file, _), .sync(let file), .delete(let file):
            file
        }
    }

    /// The operation and its file, as `write log`.
    var kind: String {
        switch self {
        case .write(let file, _, _): "write \(file)"
        case .truncate(let file, _): "truncate \(file)"
        case .sync(let file): "sync \(file)"
        case .delete(let file): "delete \(file)"
        }
    }
}

/// Which file of a database an operation is about.
enum DiskFile: Hashable, Sendable, CaseIterable {
    case main
    case log

    /// What is behind the database's path.
    var suffix: String {
        switch self {
        case .main: ""
        case .log: "-wal"
        }
    }
}

/// What becomes of an operation.
enum DiskVerdict: Equatable, Sendable {
    /// Says what becomes of each operation; they are counted from 0.
    typealias Judge = @Sendable (_ number: Int, DiskOperation) -> DiskVerdict

    /// It is done.
    case done
    /// Nothing is done, and SQLite is told this.
    case fails(code: Int32)
    /// The first half of a write is done, and SQLite is told this.
    case tears(code: Int32)
}
