/// Stores what happens in an outbox. Belongs to the session of that outbox.
package final class OutboxRecorder {
    private let storage: any OutboxStorage
    private let room: String
    /// The size of the log, in bytes.
    private var size: Int
    /// The log isn't there, or what its end is like isn't known: the whole of it has to be replaced.
    /// So it is after every failure, as what a failed write left is read as if it had worked.
    private var mustReplace: Bool

    /// Logs that are shorter aren't worth replacing.
    private static let smallest = 64 << 10

    init(_ storage: any OutboxStorage, room: String, size: Int, isWhole: Bool) {
        self.storage = storage
        self.room = room
        self.size = size
        mustReplace = !isWhole
    }

    /// Whether there is something to store whatever has become of the outbox.
    var isDue: Bool { mustReplace }

    /// Stores everything that isn't yet: at most one wait for the disk, however much it is.
    func store(_ outbox: SharedOutbox) throws(Rejection) {
        let (client, room) = (outbox.client, room)
        if mustReplace || isGrown(outbox) {
            try replace(
                outbox.withLock { $0.beginReplacing(client: client, room: room) }, of: outbox)
        } else if let batch = outbox.withLock({ $0.beginStoring() }) {
            try append(batch, of: outbox)
        }
    }

    private func isGrown(_ outbox: SharedOutbox) -> Bool {
        size > Self.smallest
            && outbox.withLock { outbox in outbox.hasUnstored && size > 2 * outbox.bytes }
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
