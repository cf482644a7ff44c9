package import StorecastSync

/// Where the text of an outbox is kept across restarts of its process.
///
/// Every function may block for as long as its disk takes, and throws `outbox-unwritable` (or
/// `outbox-unreadable`) with the cause in `detail`. Belongs to one session.
package protocol OutboxStorage: AnyObject {
    /// All of the text that is there, which a crash may have left torn at its end.
    func read() throws(Rejection) -> [UInt8]
    /// Adds to the end. Until ``sync()`` returns a crash may take away any part of it.
    func append(_ text: [UInt8]) throws(Rejection)
    /// Returns when everything appended would survive a crash.
    func sync() throws(Rejection)
    /// Puts `text` in the place of everything; a crash leaves either the old text or the new one,
    /// and the new one when this has returned.
    func replace(with text: [UInt8]) throws(Rejection)
    /// Lets go of what keeps others from it, as a file's lock; nothing else is asked of it until
    /// ``reclaim()``.
    func release()
    /// Takes that again; throws if somebody else has it, or has changed the text meanwhile.
    func reclaim() throws(Rejection)
}

extension OutboxStorage {
    package func release() {}
    package func reclaim() throws(Rejection) {}
}

/// An outbox's storage in memory, which can crash and fail: for tests and simulations.
package final class MemoryOutboxStorage: OutboxStorage {
    /// What a crash leaves.
    package private(set) var synced: [UInt8] = []
    /// What has been appended since.
    package private(set) var unsynced: [UInt8] = []
    /// What every write fails with; nil if they work.
    package var failure: Rejection?
    /// How many bytes of an append that fails are there all the same.
    package var keptByFailure = 0
    /// How often something was made to survive.
    package private(set) var syncs = 0

    package init(_ text: [UInt8] = []) {
        synced = text
    }

    /// The process dies, and of what wasn't synced only the first `kept` bytes survive.
    package func crash(keeping kept: Int = 0) {
        synced += unsynced.prefix(kept)
        unsynced = []
    }

    package func read() throws(Rejection) -> [UInt8] { synced + unsynced }

    package func append(_ text: [UInt8]) throws(Rejection) {
        if let failure {
            unsynced += text.prefix(keptByFailure)
            throw failure
        }
        unsynced += text
    }

    package func sync() throws(Rejection) {
        if let failure { throw failure }
        syncs += 1
        crash(keeping: unsynced.count)
    }

    package func replace(with text: [UInt8]) throws(Rejection) {
        if let failure { throw failure }
        syncs += 1
        (synced, unsynced) = (text, [])
    }
}
