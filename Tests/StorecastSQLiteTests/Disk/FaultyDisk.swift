import Synchronization

/// The disk under one database: notes what is done to it, and fails as a test says.
final class FaultyDisk: Sendable {
    private struct State {
        var operations: [DiskOperation] = []
        /// How many operations had been done when something was noted.
        var notes: [(place: Int, note: Int)] = []
        var isRecording = false
        var count = 0
        /// The kinds of the operations that failed.
        var failed: Set<String> = []
        var judge: DiskVerdict.Judge = { _, _ in .done }
    }

    private static let disks = Mutex<[String: FaultyDisk]>([:])
    private let path: String
    private let state = Mutex(State())

    /// The disk under the database at `path`, from now on.
    init(under path: String) {
        FaultyVFS.isRegistered
        self.path = path
        Self.disks.withLock { $0[path] = self }
    }

    /// The database is on a good disk again; needed for this object to go.
    func remove() { Self.disks.withLock { $0[path] = nil } }

    /// Has every operation from now on judged; their numbers count from 0, from the beginning.
    func judge(_ judge: @escaping DiskVerdict.Judge) {
        state.withLock { $0.judge = judge }
    }

    /// Nothing fails any more.
    func putRight() { judge { _, _ in .done } }

    /// How many operations there were.
    var count: Int { state.withLock(\.count) }

    /// The kinds of the operations that failed.
    var failed: Set<String> { state.withLock(\.failed) }

    func record() { state.withLock { $0.isRecording = true } }

    /// Notes that something happened between two operations.
    func note(_ note: Int) {
        state.withLock { $0.notes.append(($0.operations.count, note)) }
    }

    /// What was recorded, and what was noted when so many operations had been done.
    var recording: (operations: [DiskOperation], notes: [(place: Int, note: Int)]) {
        state.withLock { ($0.operations, $0.notes) }
    }

    func verdict(on operation: DiskOperation) -> DiskVerdict {
        state.withLock { state in
            defer { state.count += 1 }
            let verdict = state.judge(state.count, operation)
            if verdict != .done {
                state.failed.insert(operation.kind)
            } else if state.isRecording {
                state.operations.append(operation)
            }
            return verdict
        }
    }

    /// The disk and the file that a path belongs to; nil for paths that no test is about.
    static func find(_ path: String) -> (disk: FaultyDisk, file: DiskFile)? {
        disks.withLock { disks in
            for file in DiskFile.allCases.reversed() where path.hasSuffix(file.suffix) {
                if let disk = disks[String(path.dropLast(file.suffix.count))] {
                    return (disk, file)
                }
            }
            return nil
        }
    }
}
