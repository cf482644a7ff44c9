import StorecastMirror
import StorecastSync
import Synchronization

/// A disk that can be full.
final class Disk: Sendable {
    private let full = Atomic<Bool>(false)

    var isFull: Bool {
        get { full.load(ordering: .sequentiallyConsistent) }
        set { full.store(newValue, ordering: .sequentiallyConsistent) }
    }
}

/// An outbox's storage on a ``Disk``.
final class FailingStorage: OutboxStorage {
    private let memory = MemoryOutboxStorage()
    private let disk: Disk

    static let full = Rejection(
        .outboxUnwritable, "The outbox can't be written.", detail: "No space left on device.")

    init(on disk: Disk) {
        self.disk = disk
    }

    func read() throws(Rejection) -> [UInt8] { try memory.read() }

    func append(_ text: [UInt8]) throws(Rejection) {
        if disk.isFull { throw Self.full }
        try memory.append(text)
    }

    func sync() throws(Rejection) {
        if disk.isFull { throw Self.full }
        try memory.sync()
    }

    func replace(with text: [UInt8]) throws(Rejection) {
        if disk.isFull { throw Self.full }
        try memory.replace(with: text)
    }
}
