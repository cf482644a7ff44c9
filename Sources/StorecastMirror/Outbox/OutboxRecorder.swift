import StorecastSync
import StorecastWire

/// Stores what happens in an outbox. Belongs to the session of that outbox.
package final class OutboxRecorder {
    private let storage: any OutboxStorage
    private let room: String
    /// Higher than that of every program that opened it before.
    private let opening: UInt64
    /// Whether that is stored for good.
    private(set) var isOpened = false
    /// The size of the log, in bytes.
    private var size: Int
    /// The log isn't there, or its end isn't known, and the whole of it has to be replaced. So it
    /// is after every failure: what a failed write left would be read as if it had succeeded.
    private var mustReplace: Bool

    /// Logs that are shorter aren't worth replacing.
    private static let smallest = 64 << 10

    init(
        _ storage: any OutboxStorage, room: String, opening: UInt64, size: Int, isWhole: Bool
    ) {
        self.storage = storage
        self.room = room
        self.opening = opening
        self.size = size
        mustReplace = !isWhole
    }

    /// Whether there is something to store even if nothing is new in the outbox.
    var isDue: Bool { mustReplace || !isOpened }

    /// The number of the program's `count`th connection, above all that an earlier program may have
    /// given; nil while that can't be known for sure.
    func connection(_ count: UInt64) -> UInt64? {
        let room = (1 as UInt64) << 20
        guard isOpened, opening < (ProtocolVersion.largestInteger + 1) / room else { return nil }
        return opening * room + min(count, room - 1)
    }

    /// Whether an earlier program had the outbox open, whose connections may still be on their way.
    var wasOpened: Bool { opening > 1 }

    /// Lets go of the storage, until it is reclaimed.
    func release() { storage.release() }

    /// Goes on with the storage, unless somebody else had it meanwhile.
    func reclaim() throws(Rejection) { try storage.reclaim() }

    /// Stores everything that isn't yet: at most one wait for the disk, however much it is.
    func store(_ outbox: SharedOutbox) throws(Rejection) {
        let first = OutboxRecord.opened(client: outbox.client, room: room, opening: opening)
        if mustReplace || isGrown(outbox) {
            try replace(outbox.withLock { $0.beginReplacing(first) }, of: outbox)
            isOpened = true
            return
        }
        if !isOpened { try open(first) }
        if let batch = outbox.withLock({ $0.beginStoring() }) {
            try append(batch, of: outbox)
        }
    }

    private func isGrown(_ outbox: SharedOutbox) -> Bool {
        size > Self.smallest
            && outbox.withLock { outbox in outbox.hasUnstored && size > 2 * outbox.bytes }
    }

    private func open(_ record: OutboxRecord) throws(Rejection) {
        mustReplace = true
        var log = OutboxLog()
        log.append(record)
        try storage.append(log.text)
        try storage.sync()
        mustReplace = false
        size += log.text.count
        isOpened = true
    }

    private func append(_ batch: OutboxBatch, of outbox: SharedOutbox) throws(Rejection) {
        mustReplace = true
        if !batch.log.text.isEmpty { try storage.append(batch.log.text) }
        if batch.mustSync { try storage.sync() }
        mustReplace = false
        size += batch.log.text.count
        outbox.withLock { $0.finishStoring(batch) }
    }

    private func replace(_ image: OutboxBatch, of outbox: SharedOutbox) throws(Rejection) {
        mustReplace = true
        try storage.replace(with: image.log.text)
        mustReplace = false
        size = image.log.text.count
        outbox.withLock { $0.finishStoring(image) }
    }
}
