package import StorecastSync

/// An outbox's storage in memory, which can crash and fail: for tests and simulations.
package final class MemoryOutboxStorage: OutboxStorage {
    /// What a crash leaves.
    package private(set) var synced: [UInt8] = []
    /// What has been appended since.
    package private(set) var unsynced: [UInt8] = []
    /// What every write fails with; nil if they work.
    package var failure: Rejection?
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
        if let failure { throw failure }
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
